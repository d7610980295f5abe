#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace mpisee_through {

// Converts a stream's output to ASCII. Characters that this tool draws with are replaced by similar ones (µ by u),
// other characters outside ASCII by \xNN. Replaces the buffer of the stream during its lifetime.
class AsciiOutput : public std::streambuf {
 public:
  explicit AsciiOutput(std::ostream& stream) : stream_(stream), target_(stream.rdbuf(this)) {}
  ~AsciiOutput() override { stream_.rdbuf(target_); }
  AsciiOutput(AsciiOutput const&) = delete;
  AsciiOutput& operator=(AsciiOutput const&) = delete;

 protected:
  int_type overflow(int_type character) override;
  int sync() override { return target_->pubsync(); }

 private:
  bool put(std::string_view text);

  std::ostream& stream_;
  std::streambuf* target_;
  std::string pending_;  // first bytes of an incomplete character
};

}  // namespace mpisee_through

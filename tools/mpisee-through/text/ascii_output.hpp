#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace mpisee_through {

// Hands text on in ASCII: the characters that this tool draws with become their likes (µ is u), all others
// that are not ASCII, in names, \xNN. In place of the buffer of a stream, for as long as it lives.
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
  std::string pending_;  // the beginning of a character of several bytes
};

}  // namespace mpisee_through

#include "base/message.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "support/child.hpp"

using namespace commprof;

namespace {

// Captures the output to file descriptor 2, up to the capacity of a pipe, 64 KiB.
class CapturedStderr {
 public:
  CapturedStderr() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_end_ = ends[0];
    original_ = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    own_at_load.look();
  }
  CapturedStderr(CapturedStderr const&) = delete;
  CapturedStderr& operator=(CapturedStderr const&) = delete;
  ~CapturedStderr() {
    restore();
    close(read_end_);
  }

  // Ends the capture and returns it.
  std::string text() {
    restore();
    std::string all;
    char part[4096];
    for (ssize_t n; (n = read(read_end_, part, sizeof part)) > 0;) all.append(part, static_cast<std::size_t>(n));
    return all;
  }

 private:
  void restore() {
    if (original_ < 0) return;
    dup2(original_, STDERR_FILENO);
    close(original_);
    original_ = -1;
    own_at_load.look();
  }

  int read_end_ = -1;
  int original_ = -1;
};

std::string said(std::initializer_list<std::string_view> parts) {
  CapturedStderr captured;
  say(parts);
  return captured.text();
}

}  // namespace

TEST_CASE("control characters in a message cannot reach the terminal") {
  CHECK(said({"", "a\nb\tc\rd", "\x1b[31mred"}) == "commprof: a?b?c?d?[31mred\n");
  CHECK(said({std::string_view("\0\x01\x1f\x7f", 4)}) == "commprof: ????\n");
  // U+009B, which a terminal takes for the start of a control sequence like escape and bracket.
  std::string const line =
      said({"a\xc2\x9b"
            "31mred"});
  CHECK(line.find("\xc2\x9b") == std::string::npos);
  CHECK(line.substr(0, 11) == "commprof: a");
  CHECK(said({"caf\xc3\xa9 \xe2\x82\xac ~"}) == "commprof: caf\xc3\xa9 \xe2\x82\xac ~\n");  // letters stay
}

TEST_CASE("a message is cut off after 4 KiB, and still a line") {
  std::string const fits(4096 - 10 - 1, 'x');  // less the prefix "commprof: " and the newline
  for (std::string const& text : {fits, fits + "y", std::string(1'000'000, 'x')})
    CHECK(said({text, "y"}) == "commprof: " + fits + "\n");
}

TEST_CASE("a message leaves errno as the program has it") {
  CapturedStderr captured;
  errno = EDOM;
  say({"text"});
  CHECK(errno == EDOM);
  close(STDERR_FILENO);
  errno = ERANGE;
  say({"text"});  // there is no stderr
  CHECK(errno == ERANGE);
}

TEST_CASE("a message that nobody reads any more does not end the program") {
  // For example: program 2>&1 | head -1
  ChildEnd const end = in_child([] {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    own_at_load.look();
    say({"profile written"});
    return 0;
  });
  CHECK(end.signal == 0);
  CHECK(end.exit_code == 0);
}

TEST_CASE("a message is not written into a file that has taken the place of the error stream") {
  std::string name = (std::filesystem::temp_directory_path() / "commprof-result-XXXXXX").string();
  int const file = mkstemp(name.data());
  REQUIRE(file >= 0);
  ChildEnd const end = in_child([&] {
    close(STDERR_FILENO);
    if (open(name.c_str(), O_RDWR) != STDERR_FILENO) return 1;
    say({"profile written"});
    return lseek(STDERR_FILENO, 0, SEEK_END) == 0 ? 0 : 2;
  });
  CHECK(end.exit_code == 0);
  close(file);
  unlink(name.c_str());
}

TEST_CASE("a message of a job in the background reaches a terminal that stops those") {
  int const terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE((grantpt(terminal) == 0 && unlockpt(terminal) == 0));
  ChildEnd const end = in_child([&] {
    setsid();
    int const own = open(ptsname(terminal), O_RDWR);  // becomes the controlling terminal
    termios settings{};
    tcgetattr(own, &settings);
    settings.c_lflag |= TOSTOP;
    tcsetattr(own, TCSANOW, &settings);
    ChildEnd const in_background = in_child([own] {
      setpgid(0, 0);
      signal(SIGTTOU, [](int) { _exit(3); });
      dup2(own, STDERR_FILENO);
      own_at_load.look();
      say({"profile written"});
      return 0;
    });
    return in_background.exit_code;
  });
  CHECK(end.exit_code == 0);
  char text[64] = "";
  CHECK(read(terminal, text, sizeof text - 1) > 0);
  CHECK(std::string(text) == "commprof: profile written\r\n");
  close(terminal);
}

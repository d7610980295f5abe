#include "profile/output_directory.hpp"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "support/child.hpp"
#include "support/environment.hpp"
#include "support/temporary_directory.hpp"

using namespace commprof;
namespace fs = std::filesystem;

namespace {

std::unique_ptr<OutputDirectory> opened(std::string const& path) {
  auto output = std::make_unique<OutputDirectory>();
  INFO(output->problem());
  REQUIRE(output->open(path.c_str()));
  return output;
}

void write(OutputDirectory& output, std::string_view name, std::string_view text) {
  output.append(output.add_file(name), text.data(), text.size());
}

// Writes a profile of one file and returns the path of its directory.
std::string publish(std::string const& path, std::string_view text = "text") {
  auto const output = opened(path);
  write(*output, "file", text);
  INFO(output->problem());
  REQUIRE(output->publish());
  return output->path();
}

using Names = std::set<std::string>;

}  // namespace

TEST_CASE("a published profile has its name and contents, and nothing else is left") {
  TemporaryDirectory directory;
  auto const output = opened(directory / "profile");
  write(*output, "a.csv", "a,b\n");
  std::size_t const file = output->add_file("b.csv");
  for (int i = 0; i < 1000; ++i) output->append(file, "0123456789", 10);
  REQUIRE(output->publish());
  CHECK(output->path() == directory / "profile");
  CHECK(directory.names() == Names{"profile"});
  CHECK(contents(directory / "profile/a.csv") == "a,b\n");
  CHECK(contents(directory / "profile/b.csv").size() == 10'000);
}

TEST_CASE("before it is published, no profile is there") {
  TemporaryDirectory directory;
  auto const output = opened(directory / "profile");
  write(*output, "a.csv", "a,b\n");
  CHECK_FALSE(fs::exists(directory / "profile"));
  output->discard();
}

TEST_CASE("missing parents are made") {
  TemporaryDirectory directory;
  CHECK(publish(directory / "a/b/c/profile") == directory / "a/b/c/profile");
  CHECK(contents(directory / "a/b/c/profile/file") == "text");
  CHECK(publish(directory / "a/b//d/./profile/") == directory / "a/b//d/./profile");
  CHECK(contents(directory / "a/b/d/profile/file") == "text");
}

TEST_CASE("an existing profile is never touched") {
  TemporaryDirectory directory;
  CHECK(publish(directory / "p", "first") == directory / "p");
  CHECK(publish(directory / "p", "second") == directory / "p-2");
  CHECK(publish(directory / "p/", "third") == directory / "p-3");
  fs::remove_all(directory / "p-2");
  CHECK(publish(directory / "p", "fourth") == directory / "p-2");
  CHECK(directory.names() == Names{"p", "p-2", "p-3"});
  CHECK(contents(directory / "p/file") == "first");
  CHECK(contents(directory / "p-2/file") == "fourth");
  CHECK(contents(directory / "p-3/file") == "third");
}

TEST_CASE("what has the wanted name is left alone, whatever it is") {
  TemporaryDirectory directory;
  std::string const wanted = directory / "p";
  SECTION("an empty directory") {
    fs::create_directory(wanted);
    publish(wanted);
    CHECK(fs::is_empty(wanted));
  }
  SECTION("a file") {
    std::ofstream(wanted) << "precious";
    publish(wanted);
    CHECK(contents(wanted) == "precious");
  }
  SECTION("a symbolic link to a directory") {
    fs::create_directory(directory / "elsewhere");
    fs::create_directory_symlink(directory / "elsewhere", wanted);
    publish(wanted);
    CHECK(fs::is_empty(directory / "elsewhere"));
    CHECK(fs::is_symlink(wanted));
  }
  SECTION("a symbolic link to nothing") {
    fs::create_symlink(directory / "nothing", wanted);
    publish(wanted);
    CHECK_FALSE(fs::exists(directory / "nothing"));
    CHECK(fs::is_symlink(wanted));
  }
  CHECK(contents(directory / "p-2/file") == "text");
}

TEST_CASE("two processes that publish under one name have a profile each") {
  TemporaryDirectory directory;
  auto const first = opened(directory / "p");
  auto const second = opened(directory / "p");  // both have one pid
  write(*first, "file", "first");
  write(*second, "file", "second");
  REQUIRE(second->publish());
  REQUIRE(first->publish());
  CHECK(contents(directory / "p/file") == "second");
  CHECK(contents(directory / "p-2/file") == "first");
  CHECK(directory.names() == Names{"p", "p-2"});
}

TEST_CASE("a discarded profile leaves nothing behind") {
  TemporaryDirectory directory;
  auto const output = opened(directory / "p");
  for (char const* const name : {"a", "b", "c"}) write(*output, name, "text");
  output->discard();
  CHECK(directory.names().empty());
  output->discard();
  // The directory can be opened again.
  REQUIRE(output->open((directory / "q").c_str()));
  write(*output, "file", "text");
  CHECK(output->publish());
  CHECK(directory.names() == Names{"q"});
}

TEST_CASE("what is not published is discarded in the end") {
  TemporaryDirectory directory;
  {
    auto const output = opened(directory / "p");
    write(*output, "file", "text");
    CHECK_FALSE(directory.names().empty());
  }
  CHECK(directory.names().empty());
}

TEST_CASE("what is published is not discarded") {
  TemporaryDirectory directory;
  {
    auto const output = opened(directory / "p");
    write(*output, "file", "text");
    REQUIRE(output->publish());
    output->discard();
  }
  CHECK(contents(directory / "p/file") == "text");
}

TEST_CASE("a directory that cannot be made is named with the reason") {
  TemporaryDirectory directory;
  std::ofstream(directory / "file") << "text";
  auto const output = std::make_unique<OutputDirectory>();
  CHECK_FALSE(output->open((directory / "file/p").c_str()));
  CHECK(output->problem() == directory / "file/p" + ": Not a directory");
  CHECK_FALSE(output->open((directory / "file/a/b/p").c_str()));
  CHECK(output->problem() == directory / "file/a" + ": Not a directory");
  output->discard();
  CHECK(directory.names() == Names{"file"});
  CHECK(contents(directory / "file") == "text");
  // The next attempt clears a failed one.
  REQUIRE(output->open((directory / "p").c_str()));
  CHECK(output->publish());
}

TEST_CASE("a directory that does not allow writing is named with the reason") {
  TemporaryDirectory directory;
  fs::permissions(directory / "", fs::perms(0755));
  fs::create_directory(directory / "closed");
  fs::permissions(directory / "closed", fs::perms(0555));
  auto const refusal = [&](std::string const& path, std::string const& problem) {
    return in_child([&] {
      constexpr uid_t nobody = 65534;  // root may write everywhere
      if (geteuid() == 0 && seteuid(nobody) != 0) return 1;
      auto const output = std::make_unique<OutputDirectory>();
      if (output->open(path.c_str())) return 2;
      return output->problem() == problem ? 0 : 3;
    });
  };
  CHECK(refusal(directory / "closed/p", directory / "closed/p" + ": Permission denied").exit_code == 0);
  CHECK(refusal(directory / "closed/a/p", directory / "closed/a" + ": Permission denied").exit_code == 0);
  fs::permissions(directory / "closed", fs::perms(0755));
}

TEST_CASE("a name that is too long is named with the reason") {
  TemporaryDirectory directory;
  auto const output = std::make_unique<OutputDirectory>();
  std::string const component(NAME_MAX + 1, 'n');
  CHECK_FALSE(output->open((directory / component).c_str()));
  CHECK(output->problem() == directory / component + ": File name too long");

  std::string path = directory / "";
  while (path.size() < PATH_MAX - 110) path += std::string(99, 'd') + "/";
  path += std::string(PATH_MAX - 5 - path.size(), 'd');  // with ".writing-PID-0" it is longer than any path may be
  CHECK_FALSE(output->open(path.c_str()));
  CHECK(std::string(output->problem()).ends_with(": File name too long"));
}

TEST_CASE("a component that fits only without what is added to it fails in the open, not in silence") {
  TemporaryDirectory directory;
  auto const output = std::make_unique<OutputDirectory>();
  std::string const component(NAME_MAX, 'n');  // fits, but not with ".writing-…" behind it
  bool const done = output->open((directory / component).c_str()) && output->publish();
  if (!done) CHECK(std::string(output->problem()).ends_with(": File name too long"));
  output->discard();
  CHECK(directory.names().size() == (done ? 1 : 0));
}

TEST_CASE("a file that is taken already is a failure at the end") {
  TemporaryDirectory directory;
  auto const output = opened(directory / "p");
  output->add_file("file");
  std::size_t const again = output->add_file("file");
  output->append(again, "text", 4);
  CHECK_FALSE(output->publish());
  CHECK(std::string(output->problem()).ends_with("/file: File exists"));
  output->discard();
  CHECK(directory.names().empty());
}

namespace {

// Limits the size of files during a test: the system reacts as to a full disk, with another error.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit const limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(FileSizeLimit const&) = delete;
  FileSizeLimit& operator=(FileSizeLimit const&) = delete;
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a disk that fills up is a failure at the end, which names the profile and the reason") {
  TemporaryDirectory directory;
  auto const output = opened(directory / "p");
  std::size_t const small = output->add_file("a.csv");
  std::size_t const large = output->add_file("b.csv");
  auto* const on_limit_before = std::signal(SIGXFSZ, SIG_IGN);
  {
    FileSizeLimit const limit(1000);
    output->append(small, "text", 4);
    std::string const text(600, 'x');
    output->append(large, text.data(), text.size());
    output->append(large, text.data(), text.size());
    output->append(small, "text", 4);
    CHECK_FALSE(output->publish());  // the text is written here at the latest
  }
  std::signal(SIGXFSZ, on_limit_before);
  std::string const problem = output->problem();
  INFO(problem);
  CHECK(problem.starts_with(directory / "p"));
  CHECK(problem.find("b.csv") != std::string::npos);
  CHECK(problem.ends_with(": File too large"));
  output->discard();
  CHECK(directory.names().empty());
}

TEST_CASE("a limit on the size of files ends the profile, not the program") {
  TemporaryDirectory directory;
  ChildEnd const end = in_child([&] {
    FileSizeLimit const limit(1000);
    auto const output = std::make_unique<OutputDirectory>();
    if (!output->open((directory / "p").c_str())) return 1;
    std::size_t const file = output->add_file("a.csv");
    std::string const text(2000, 'x');
    output->append(file, text.data(), text.size());
    return output->publish() ? 2 : 0;
  });
  CHECK(end.signal == 0);
  CHECK(end.exit_code == 0);
}

TEST_CASE("the files of a profile have the permissions that the user's mask leaves") {
  TemporaryDirectory directory;
  mode_t const before = umask(027);
  publish(directory / "p");
  umask(before);
  struct stat status {};
  REQUIRE(stat((directory / "p").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0750);
  REQUIRE(stat((directory / "p/file").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

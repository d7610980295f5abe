#include "files/unpacked_archive.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "reader/profile_reader.hpp"
#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// A directory in which a profile, p, can be packed.
class Packing {
 public:
  Packing() {
    TemporaryProfile const profile({.operations = {"main,W,2,0,Send,8,15,3,24,0,0.5,0.125,0.25"}});
    std::filesystem::copy(profile.path(), path() / "p");
    make("mkdir tmp");
  }

  [[nodiscard]] std::filesystem::path const& path() const { return directory_.path(); }

  void make(std::string const& line) const {
    ToolRun const run = run_shell(line, path());
    INFO(line << "\n" << run.err);
    REQUIRE(run.exit_code == 0);
  }

  // Uses a temporary directory of its own, which must be empty afterwards.
  [[nodiscard]] ToolRun show(std::string const& arguments) const {
    ToolRun const run = run_shell("TMPDIR=$PWD/tmp mpisee-through " + arguments, path());
    CHECK(std::filesystem::is_empty(path() / "tmp"));
    return run;
  }

 private:
  TemporaryProfile directory_;
};

}  // namespace

TEST_CASE("an archive of a profile reads like its directory") {
  Packing const packing;
  std::string const expected = packing.show("p --csv --sizes").out;
  CHECK(expected.find("W,2,0-1,") != expected.npos);
  packing.make(
      "tar czf p.tar.gz p; tar cJf p.tar.xz p; tar cf p.tar p; tar czf flat.tgz -C p .; tar cjf p.tar.bz2 ./p");
  packing.make("python3 -m zipfile -c p.zip p; cp p.tar.gz 'name without end'");
  for (char const* name : {"p.tar.gz", "p.tar.xz", "p.tar", "flat.tgz", "p.tar.bz2", "p.zip", "'name without end'"}) {
    ToolRun const run = packing.show("--csv --sizes " + std::string(name));
    INFO(name << " " << run.err);
    CHECK(run.exit_code == 0);
    CHECK(run.out == expected);
  }
  CHECK(packing.show("--operations p.tar.gz").out.starts_with("Profile    p.tar.gz\n"));
  CHECK(packing.show("compare p p.tar.gz --total --csv").exit_code == 0);
}

TEST_CASE("problems name the archive and the file in it") {
  Packing const packing;
  packing.make("sed -i s/Send,8/Send,x/ p/operations.csv; tar czf p.tar.gz p");
  ToolRun const run = packing.show("p.tar.gz");
  CHECK(run.exit_code == 1);
  CHECK(run.err == "mpisee-through: p.tar.gz/operations.csv:2: size_min is not a whole number: \"x\"\n");
  CHECK(packing.show("--matrix p.tar.gz").err ==
        "mpisee-through: p.tar.gz/peers.csv: this profile was written without who talks to whom\n");
  packing.make("rm p/run.json; tar czf p.tar.gz p");
  CHECK(packing.show("p.tar.gz").err == "mpisee-through: p.tar.gz/run.json: No such file or directory\n");
}

TEST_CASE("what is no archive of one profile is turned down") {
  Packing const packing;
  std::string const neither = "neither the directory of a profile nor an archive that can be unpacked: ";
  packing.make("tar czf whole.tar.gz p; head -c 100 whole.tar.gz > short.tar.gz");
  CHECK(packing.show("short.tar.gz").err == "mpisee-through: short.tar.gz: " + neither + "truncated gzip input\n");
  packing.make("cp -r p long; head -c 99999 /dev/urandom | base64 >> long/operations.csv; tar czf long.tar.gz long");
  packing.make("head -c 70000 long.tar.gz > cut.tar.gz");
  CHECK(packing.show("cut.tar.gz").err == "mpisee-through: cut.tar.gz: cannot unpack: truncated gzip input\n");
  packing.make("echo hello > text");
  CHECK(packing.show("text").err == "mpisee-through: text: " + neither + "Unrecognized archive format\n");
  packing.make("tar cf other.tar text");
  CHECK(packing.show("other.tar").err == "mpisee-through: other.tar: no profile in this archive\n");
  packing.make("cp -r p q; tar cf two.tar p q");
  CHECK(packing.show("two.tar").err ==
        "mpisee-through: two.tar: profiles in two directories, p and q: unpack it and name one\n");
  packing.make("tar cf twice.tar p; tar rf twice.tar p/run.json");
  CHECK(packing.show("twice.tar").err == "mpisee-through: twice.tar: p/run.json twice\n");
  for (char const* name : {"short.tar.gz", "cut.tar.gz", "text", "other.tar", "two.tar", "twice.tar"}) {
    CHECK(packing.show(name).exit_code == 1);
  }
}

TEST_CASE("paths and links in an archive reach nothing outside") {
  Packing const packing;
  packing.make(
      "mkdir -p a/b; cp p/*.* a/b; echo mine > run.json; echo mine > ranks.csv; cd a/b; "
      "tar cPf ../../up.tar --transform 's,^,../../../,' *.*");
  CHECK(packing.show("up.tar --csv").out == packing.show("p --csv").out);
  packing.make("grep -qx mine run.json; grep -qx mine ranks.csv");
  // A link to another file is not followed: the file is missing.
  packing.make("ln -sf ../ranks.csv p/ranks.csv; tar cf link.tar p");
  CHECK(packing.show("link.tar").err == "mpisee-through: link.tar/ranks.csv: No such file or directory\n");
}

TEST_CASE("an archive can be written neither over nor into") {
  Packing const packing;
  packing.make("tar cf p.tar p; cp p.tar before");
  CHECK(packing.show("p.tar --treematch p.tar").exit_code == 1);
  packing.make("cmp p.tar before");
}

TEST_CASE("memory does not grow with what is packed") {
  Packing const packing;
  packing.make("for i in $(seq 30000); do echo 'main,W,2,0,Send,8,15,3,24,0,0.5,0.125,0.25'; done > rows");
  packing.make(
      "for i in $(seq 40); do cat rows; done >> p/operations.csv; sed -i s/files/others/ p/run.json");  // 50 MB
  packing.make("tar czf p.tar.gz p");
  // 24 MB of data, without the code of the program and its libraries.
  ToolRun const run = run_shell("ulimit -d 24000; mpisee-through --csv p.tar.gz", packing.path());
  INFO(run.err);
  CHECK(run.exit_code == 0);
}

TEST_CASE("a small archive that unpacks to very much is refused before it has") {
  Packing const packing;
  packing.make(
      "mkdir bomb; truncate -s 100M bomb/operations.csv; tar cjf bomb.tar.bz2 bomb; test $(stat -c %s bomb.tar.bz2) "
      "-lt 3000");
  ToolRun const run = packing.show("bomb.tar.bz2");
  CHECK(run.exit_code == 1);
  CHECK(run.err == "mpisee-through: bomb.tar.bz2: cannot unpack: it holds more than ten thousand times its own size\n");
}

TEST_CASE("files that are no part of the profile count, too") {
  Packing const packing;
  packing.make("mkdir bomb; cp p/*.* bomb; truncate -s 200M bomb/a.core; tar cjf bomb.tar.bz2 bomb");
  CHECK(packing.show("bomb.tar.bz2").err ==
        "mpisee-through: bomb.tar.bz2: cannot unpack: it holds more than ten thousand times its own size\n");
}

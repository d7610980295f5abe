"""Processes without MPI do not notice the library: no file more, no word, whatever they start and how."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIBRARY = os.environ["LIBRARY"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LD_BIND_NOW")}

# As a configure script does: commands, pipes, here-documents, compilers' tests, subshells.
STORM = """
i=0
while [ $i -lt 1000 ]; do
  /bin/true || exit 1
  i=$((i + 1))
done
printf '%s\\n' a b c | sed 's/b/x/' | /usr/bin/sort -r | tr a z
cat <<END | grep -c .
one
two
END
( exec /bin/echo from a subshell )
echo $i
"""
SPAWN = """
import subprocess, os
for _ in range(100): subprocess.run(["/bin/true"], check=True)  # vfork or posix_spawn
pid = os.fork()
if pid == 0: os.execv("/bin/echo", ["echo", "child"])
os.waitpid(pid, 0)
os.posix_spawn("/bin/echo", ["echo", "spawned"], os.environ)
os.wait()
"""
THREADS = """
import os, subprocess, sys, threading
threads = [threading.Thread(target=sum, args=(range(1000),)) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(subprocess.run(["sh", "-c", "echo child; exit 2"]).returncode, flush=True)
print("to stderr", file=sys.stderr)
if os.fork() == 0: os._exit(0)
os.wait()
sys.exit(6)
"""
# The shell looks at itself by patterns: a pipe would come and go among its files.
ITSELF = "ls /proc/self/task | wc -l; set -- /proc/$$/fd/*; echo $#; set -- /proc/$$/task/*; echo $#"
COMMANDS = (["sh", "-c", STORM], [sys.executable, "-c", SPAWN], [sys.executable, "-c", THREADS], ["sh", "-c", ITSELF], ["true"], ["false"],
            ["sleep", "0.01"], ["sleep", "forever"],  # a usage error
            ["sh", "-c", "echo out; echo err >&2; exit 3"], ["bash", "-c", "echo $((6 * 7)) | cat; (exit 4)"], ["bash", "-c", "kill -TERM $$"],
            ["env", "-i", "sh", "-c", "exit 5"], ["ls", "/dev/null/missing"])


class Processes(unittest.TestCase):
    def test_a_program_with_a_sanitizer_of_threads(self):
        def run(preload):
            done = subprocess.run([os.environ["WITH_TSAN"]], env=ENVIRONMENT | preload, capture_output=True, timeout=60)
            return done.returncode, done.stdout, done.stderr

        # Some kernels place memory where this sanitizer cannot be: then it says so, with the library as without.
        self.assertEqual(run({"LD_PRELOAD": LIBRARY})[:2], run({})[:2])

    def setUp(self):
        self.start = Path(tempfile.mkdtemp(prefix="commprof-test-")).resolve()
        self.addCleanup(shutil.rmtree, self.start)

    def run_command(self, command, **variables):
        done = subprocess.run(command, env=ENVIRONMENT | variables, cwd=self.start, capture_output=True, timeout=250)
        return done.returncode, done.stdout, done.stderr

    def test_no_trace(self):
        for command in COMMANDS:
            plain = self.run_command(command)
            for binding in ({}, {"LD_BIND_NOW": "1"}):
                self.assertEqual(self.run_command(command, LD_PRELOAD=LIBRARY, **binding), plain)
        self.assertEqual(os.listdir(self.start), [])

    def test_no_further_file(self):
        def files(**variables):
            code, _, told = self.run_command(["/bin/true"], LD_DEBUG="files", **variables)
            self.assertEqual(code, 0)
            return set(re.findall(rb"generating link map\n.*?|file=(\S+) \[0\];  generating link map", told)) - {b""}

        self.assertEqual(files(LD_PRELOAD=LIBRARY) - files(), {LIBRARY.encode()})

    @unittest.skipUnless(os.geteuid() == 0, "only root can make a setuid program")
    def test_setuid_program(self):
        # The dynamic linker leaves out what is preloaded by a path.
        self.start.chmod(0o755)
        program = self.start / "cat"
        shutil.copy("/bin/cat", program)
        program.chmod(0o4755)
        command = ["setpriv", "--reuid=65534", "--clear-groups", program, "/proc/self/maps"]
        for variables in ({}, {"LD_PRELOAD": LIBRARY}):
            code, maps, told = self.run_command(command, **variables)
            self.assertEqual((code, told, b"commprof.so" in maps), (0, b"", False))
        # Without setuid, the program has the profiler.
        program.chmod(0o755)
        self.assertIn(b"commprof.so", self.run_command([program, "/proc/self/maps"], LD_PRELOAD=LIBRARY)[1])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""run.py PROGRAM SAMPLES [SECONDS]: gives files to each target of fuzz.cpp: the samples, and those in corpus/, which were faults once.

With SECONDS, PROGRAM has libFuzzer, which changes the files for that long, a fifth for each target. What fails is left in the
working directory, and belongs into corpus/ then.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus"
TARGETS = ("csv", "run_json", "spool", "fabric")
OPTIONS = ("-detect_leaks=0", "-timeout=20", "-rss_limit_mb=2048", "-max_len=20000", "-close_fd_mask=3", "-print_final_stats=1")


def seeds(target, samples):
    if target in ("csv", "run_json"):
        for file in sorted(samples.glob(f"sample*/*{target.replace('_', '.')}")):
            yield f"{file.parent.name}/{file.name}\n".encode() + file.read_bytes()
    elif target == "spool":
        yield from (b"", *(number.to_bytes(4, "big") + b"\x01\xff" for number in range(0, 4000, 40)))
    elif target == "fabric":
        yield b"%%\n".join(file.read_bytes() for file in sorted((samples / "network").iterdir()))


def run(program, target, samples, seconds):
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as directory:
        seeded = Path(directory) / "seeds"
        seeded.mkdir()
        for number, seed in enumerate((*seeds(target, samples), *(file.read_bytes() for file in (CORPUS / target).glob("*")))):
            (seeded / str(number)).write_bytes(seed)
        how = (*OPTIONS, f"-max_total_time={seconds // len(TARGETS)}", seeded) if seconds else sorted(seeded.iterdir())
        return subprocess.run([program, *how], env=os.environ | {"FUZZ_TARGET": target, "TMPDIR": directory}).returncode


program, samples, seconds = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), int((sys.argv[3:] or [0])[0])
failed = [target for target in TARGETS if run(program, target, samples, seconds) != 0]
sys.exit(f"faults in {', '.join(failed)}" if failed else 0)

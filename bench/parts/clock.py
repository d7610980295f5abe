"""The seconds of the profile against MPI_Wtime."""
import csv

BOUND = 0.001


def run(bench, table):
    waits = 2 if bench.quick else 10
    measured = bench.values(2, bench.programs / "bench_waits", waits, preload=bench.library)["waited"]
    with open(bench.profile / "operations.csv", newline="", encoding="utf-8") as file:
        profiled = sum(float(row["time_s"]) for row in csv.DictReader(file)
                       if row["op"] == "Recv" and row["rank"] == "0")
    difference = profiled / measured - 1
    table.title(f"Clock: {waits} receives that wait for 1 s", ("", "MPI_Wtime", "profile", "differ", "bound", ""),
                (36, 14, 14, 12, 10, 6))
    table.row("seconds", f"{measured:.6f}", f"{profiled:.6f}", f"{100 * difference:+.5f} %", f"{100 * BOUND} %",
              "ok" if abs(difference) <= BOUND else "over")

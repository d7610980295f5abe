"""Programs that spawn, connect and join: one profile for each world."""

import unittest

import time_windows
from driver import MPIEXEC, PROGRAMS, DriverTest, finish, read_csv, start_mpirun


class Worlds(DriverTest):
    def run_worlds(self, how, ranks):
        """Runs the program with and without the profiler: alike. False if this MPI cannot do it, which it says itself."""
        def run(**options):
            done = finish(start_mpirun([PROGRAMS / "worlds", how], ranks=ranks, cwd=self.start, **options))
            (self.start / "meeting-point").unlink(missing_ok=True)
            return done

        plain = run(preload=False)
        done = run(inner_env={"COMMPROF_OUTPUT": str(self.start / "out")})
        # That of MPICH 4.2.1 may end with 0 all the same.
        failed = [one.returncode != 0 or b"Fatal error" in one.stderr for one in (plain, done)]
        self.assertEqual(failed[1], failed[0], done.stderr.decode(errors="replace"))
        if not failed[0]:
            # Lines of several processes may run into each other.
            self.assertEqual(sorted(done.stdout.split()), sorted(plain.stdout.split()))
        else:
            self.assertIn("mpich", " ".join(MPIEXEC), "Open MPI can do this")
            print(f"this MPI has no {how}: it fails alike with the profiler and without")
        return not failed[0]

    def take(self, name):
        """A profile, which is then gone."""
        profile = self.start / name
        self.assertTrue(profile.is_dir(), sorted(p.name for p in self.start.iterdir()))
        calls = {(int(rank), comm, op): calls for (rank, comm, op), calls in self.counts(profile, "rank", "comm", "op").items()}
        content = (calls, {row["comm"]: row for row in read_csv(profile / "communicators.csv")},
                   self.run_json(profile), read_csv(profile / "ranks.csv"))
        windows = time_windows.check_sums(self, profile)
        self.remove_profile(profile)
        return *content, max(float(row["end_s"]) for row in windows)

    def check_spawned(self, how, ranks, between):
        if not self.run_worlds(how, ranks):
            return
        worlds = sorted((self.take("out"), self.take("out-2")), key=lambda world: world[2]["parent"] is not None)
        (counts, communicators, run, rank_rows, _), (child_counts, child_communicators, child_run, child_rank_rows, end) = worlds
        self.assertEqual(set(communicators) - {"W_d1"},
                         {"W", "SELF", between, between + "_m1", between + "_m1_s1.0"})
        self.assertEqual(set(child_communicators), {"W", "SELF", "PARENT", "PARENT_m1", f"PARENT_m1_s1.{ranks}"})
        # The windows of the spawned world begin with its own MPI_Init, not with that of its parent.
        self.assertLess(end, (run["wall_s"] + child_run["wall_s"]) / 2)
        self.assertEqual(communicators[between]["created_by"], "Comm_" + how)
        self.assertEqual(communicators[between]["size"], str(ranks + 2))
        self.assertEqual(communicators[between]["members"], f"0-{ranks - 1}" if ranks > 1 else "0")
        for rank in range(ranks):
            self.assertEqual(counts[rank, "W", "Comm_" + how], 1)
            self.assertEqual(counts[rank, between + "_m1", "Allreduce"], 1)
            self.assertEqual(counts[rank, between, "Comm_disconnect"], 1)
        for rank in range(2):
            self.assertEqual(child_counts[rank, "PARENT", "Intercomm_merge"], 1)
            self.assertEqual(child_counts[rank, f"PARENT_m1_s1.{ranks}", "Bcast"], 1)
        self.assertEqual((len(rank_rows), len(child_rank_rows), run["ranks"], child_run["ranks"]), (ranks, 2, ranks, 2))
        self.assertEqual(child_run["parent"], {})

    def test_a_spawned_world_writes_its_own_profile(self):
        self.check_spawned("spawn", 2, "W_p2")
        self.check_spawned("spawn", 1, "W_p2")
        self.check_spawned("spawn_multiple", 3, "W_p1")

    def test_halves_of_a_world_that_connect_have_one_name_for_it(self):
        if not self.run_worlds("connect", 4):
            return
        counts, communicators, run, *_ = self.take("out")
        self.assertEqual(set(communicators), {"W", "SELF", "W_s1.0", "W_s1.2", "W_x1.0-1.2-3"})
        self.assertEqual(communicators["W_x1.0-1.2-3"]["members"], "0-3")
        self.assertIsNone(run["parent"])
        for rank in range(4):
            self.assertEqual(counts[rank, "W_x1.0-1.2-3", "Barrier"], 1)
            self.assertEqual(counts[rank, "W_x1.0-1.2-3", "Comm_disconnect"], 1)
            half, call = ("W_s1.0", "Comm_accept") if rank < 2 else ("W_s1.2", "Comm_connect")
            self.assertEqual(counts[rank, half, call], 1)

    def test_processes_that_join_by_a_socket(self):
        if not self.run_worlds("join", 2):
            return
        counts, communicators, *_ = self.take("out")
        self.assertEqual(set(communicators), {"W", "SELF", "W_x1.0.1"})
        for rank in range(2):
            self.assertEqual(counts[rank, "SELF", "Comm_join"], 1)
            self.assertEqual(counts[rank, "W_x1.0.1", "Barrier"], 1)
            self.assertEqual(counts[rank, "W_x1.0.1", "Comm_disconnect"], 1)


if __name__ == "__main__":
    unittest.main()

"""What Open MPI gives to UCX: each message of the program and of the MPI, by pair of processes."""

import subprocess
import unittest
from pathlib import Path

import libfabric
from driver import DriverTest, MPIEXEC


class Ucx(libfabric.OpenMpiGives, DriverTest):
    # Without the last two, Open MPI 4 uses UCX only on networks that are worth it.
    WAYS = {"ucx": {"OMPI_MCA_pml": "ucx,monitoring", "OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any"}}

    @classmethod
    def setUpClass(cls):
        components = subprocess.run([Path(MPIEXEC[0]).with_name("ompi_info"), "--parsable"], capture_output=True, check=True).stdout
        if b"mca:pml:ucx:" not in components:
            raise unittest.SkipTest("this Open MPI has no UCX")


if __name__ == "__main__":
    unittest.main()

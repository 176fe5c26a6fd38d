"""What another order of ranks is worth to a program of mpi4py: hosts in racks with shaped links, as network namespaces."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

RACKS, HOSTS, SLOTS = 2, 4, 2
#: Bytes to each neighbour, exchanges that are measured.
BYTES, TIMES = 1 << 16, 4
JOB = "halo:grid=4x4"
#: Each rank exchanges with its four neighbours in a grid that wraps around, in the order in which the world has its ranks and in
#: that which Hopline gives.
PROGRAM = f"""
import os, socket, sys
import numpy as np
from mpi4py import MPI
import hopline.mpi

def exchange(comm):
    grid = comm.Create_cart([4, 4], periods=[True, True], reorder=False)
    sent, got = np.zeros({BYTES}, np.uint8), np.zeros({BYTES}, np.uint8)
    took = []
    for _ in range({TIMES} + 1):
        grid.Barrier()
        start = MPI.Wtime()
        for axis in (0, 1):
            back, ahead = grid.Shift(axis, 1)
            grid.Sendrecv(sent, ahead, recvbuf=got, source=back)
            grid.Sendrecv(sent, back, recvbuf=got, source=ahead)
        took.append(grid.allreduce(MPI.Wtime() - start, MPI.MAX))
    return sorted(took[1:])[{TIMES} // 2]

world = MPI.COMM_WORLD
better = world.Split(key=hopline.mpi.order(world, {JOB!r}, sys.argv[1], name=socket.gethostname()))
times = exchange(world), exchange(better)
if world.Get_rank() == 0:
    print("seconds", *times)
"""


def fabric():
    """The racks in Hopline's own form."""
    kinds = [("host", 25_000_000, True), ("trunk", 2_500_000, False)]
    nodes = [f"node{n + 1:03}" for n in range(RACKS * HOSTS)]
    down = [
        {"a": node, "port_a": 1, "b": f"leaf{n // HOSTS}", "port_b": n % HOSTS + 1, "class": "host"} for n, node in enumerate(nodes)
    ]
    up = [{"a": f"leaf{r}", "port_a": HOSTS + 1, "b": "spine", "port_b": r + 1, "class": "trunk"} for r in range(RACKS)]
    return {
        "hopline_fabric": 1,
        "name": "racks",
        "classes": [{"name": n, "bandwidth_bytes_s": b, "latency_ns": 0, "host": h} for n, b, h in kinds],
        "endpoints": [{"name": node} for node in nodes],
        "switches": [{"name": name} for name in [*(f"leaf{r}" for r in range(RACKS)), "spine"]],
        "cables": down + up,
        "hosts": [{"name": node, "endpoints": [node], "slots": SLOTS} for node in nodes],
    }


def namespaces(words):
    """In namespaces of its own, which end with the command; shared memory is named after process numbers, which repeat there."""
    apart = ["unshare", "--map-root-user", "--user", "--mount", "--net", "--uts", "--pid", "--fork", "--mount-proc"]
    if os.geteuid() == 0:
        apart = [word for word in apart if word not in ("--map-root-user", "--user")]
    return [*apart, "sh", "-c", 'mount -t tmpfs tmpfs /dev/shm && exec "$@"', "sh", *words]


def obstacle():
    missing = [name for name in ("mpirun.openmpi", "tc", "ip", "nsenter") if shutil.which(name) is None]
    if missing:
        return f"{missing} are not installed"
    allowed = subprocess.run(namespaces(["true"]), capture_output=True, check=False).returncode == 0
    return None if allowed else "namespaces are not permitted: run as root"


@pytest.mark.skipif(obstacle() is not None, reason=str(obstacle()))
def test_a_halo_exchange_is_faster_in_the_order_that_is_given(tmp_path):
    (tmp_path / "racks.json").write_text(json.dumps(fabric()))
    (tmp_path / "halo.py").write_text(PROGRAM)
    racks = ROOT / "crates/hopline-cli/tests/mpi/racks.sh"
    # Round robin over hosts, as `--map-by node` does.
    mpirun = f"mpirun.openmpi --hostfile hosts2 -n {RACKS * HOSTS * SLOTS} --map-by node --mca plm rsh --mca plm_rsh_agent AGENT \
        --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_if_include eth0 --mca btl self,vader,tcp --mca btl_tcp_if_include eth0 \
        --mca mpi_yield_when_idle 1 --bind-to none {sys.executable} halo.py racks.json"
    two = f"sed s/slots=1/slots={SLOTS}/ hosts > hosts2 && exec {mpirun}"
    words = ["bash", str(racks), str(RACKS), str(HOSTS), "20mbit", "200mbit", "--", "bash", "-c", two]
    own = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "RAYON_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "TMPDIR": str(tmp_path),
        "HOME": str(tmp_path),
    }
    done = subprocess.run(namespaces(words), cwd=tmp_path, env=own, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    before, after = (float(word) for word in done.stdout.split("seconds")[1].split()[:2])
    print(f"{JOB} with mpi4py: {1000 * before:.0f} ms round robin, {1000 * after:.0f} ms in the order given")
    assert after < before / 1.3, done.stdout

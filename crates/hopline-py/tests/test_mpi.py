"""Ranks of processes that run."""

import os
import shutil
import subprocess
import sys

import hopline
import hopline.mpi
import pytest

FABRIC = "torus:dims=4x2,names=n[0-7]"
SCRIPT = """
from mpi4py import MPI
import hopline.mpi
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
# Round robin: what launchers do with --map-by node.
host = f"n{rank % 4}.cluster"
new = hopline.mpi.order(world, "halo:grid=4x2", FABRIC, name=host)
better = world.Split(key=new)
assert better.Get_rank() == new
placed = better.gather(host, root=0)
if new == 0:
    print(" ".join(name.split(".")[0] for name in placed))
try:
    hopline.mpi.order(world, "halo:grid=4x2", FABRIC, name="elsewhere")
except hopline.Error as error:
    assert "no host `elsewhere`" in str(error)
else:
    raise SystemExit(1)
""".replace("FABRIC", repr(FABRIC))


def hop_bytes(hosts):
    """Of the halo when task t sits on a host."""
    fabric = hopline.Fabric(FABRIC, slots=2)
    places, used = [], {}
    for host in hosts:
        used[host] = used.get(host, -1) + 1
        places.append(2 * fabric.hosts.index(host) + used[host])
    return hopline.load(fabric, "halo:grid=4x2", mapping=places).hop_bytes


def test_ranks_are_a_permutation_that_keeps_processes_on_their_hosts():
    names = [f"n{p % 4}" for p in range(8)]
    new = hopline.mpi.ranks(names, "halo:grid=4x2", FABRIC)
    assert sorted(new) == list(range(8))
    after = [names[new.index(task)] for task in range(8)]
    assert sorted(after) == sorted(names)
    assert hop_bytes(after) < hop_bytes(names)


def test_what_does_not_fit_is_refused():
    with pytest.raises(hopline.InputError, match="no host `m1`"):
        hopline.mpi.ranks(["m1"], "halo:grid=4x2", FABRIC)
    with pytest.raises(hopline.InputError):
        hopline.mpi.ranks(["n0", "n1"], "halo:grid=4x2", FABRIC)
    with pytest.raises(hopline.InputError, match="8 tasks, but 9 processes"):
        hopline.mpi.ranks([f"n{p % 5}" for p in range(9)], "halo:grid=4x2", FABRIC)


@pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="no Open MPI")
def test_a_program_of_mpi4py_gets_better_ranks():
    ranks = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "8", sys.executable, "-c", SCRIPT]
    quiet = {**os.environ, "OMPI_MCA_btl": "self,vader", "RAYON_NUM_THREADS": "1"}
    done = subprocess.run(ranks, capture_output=True, text=True, timeout=120, env=quiet)
    assert done.returncode == 0, done.stderr
    after = done.stdout.split()
    assert len(after) == 8 and hop_bytes(after) < hop_bytes([f"n{p % 4}" for p in range(8)])

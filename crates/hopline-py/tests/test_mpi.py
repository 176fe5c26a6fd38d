"""Ranks of processes that run."""

import os
import shutil
import socket
import subprocess
import sys
import threading

import hopline
import hopline.mpi
import pytest

from conftest import ROOT

FABRIC = "torus:dims=4x2,names=n[0-7]"
RACK = "testdata/fabrics/rack64"
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
# Ctrl-C that reaches rank 0 alone ends all.
if rank == 0:
    def interrupted(*_, **__):
        raise KeyboardInterrupt
    hopline.mpi.ranks = interrupted
try:
    hopline.mpi.order(world, "halo:grid=4x2", FABRIC, name=host)
except KeyboardInterrupt:
    assert rank == 0
except hopline.RunError as error:
    assert rank > 0 and "KeyboardInterrupt" in str(error)
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


class Comm:
    """Rank 0 of two, which keeps what it tells."""

    def __init__(self):
        self.told = []

    def Get_rank(self):
        return 0

    def gather(self, name, root):
        return [name, name]

    def bcast(self, found, root):
        self.told.append(found)
        return found


class Other(Comm):
    def __init__(self, told):
        self.told = told

    def Get_rank(self):
        return 1

    def bcast(self, found, root):
        return self.told[0]


def test_what_goes_wrong_reaches_everybody(monkeypatch):
    for wrong, raised in [
        (KeyboardInterrupt(), hopline.RunError),
        (hopline.InputError("no host"), hopline.InputError),
        (KeyError("x"), hopline.RunError),
    ]:

        def fail(*_, **__):
            raise wrong

        monkeypatch.setattr(hopline.mpi, "ranks", fail)
        first = Comm()
        with pytest.raises(type(wrong)):
            hopline.mpi.order(first, "halo:grid=2x1", FABRIC)
        assert len(first.told) == 1
        with pytest.raises(raised, match="KeyboardInterrupt|no host|x"):
            hopline.mpi.order(Other(first.told), "halo:grid=2x1", FABRIC)


def test_the_fabric_at_hand_is_a_dump_or_none(monkeypatch):
    names = [f"node{1 + process % 4 * 16:03}" for process in range(8)]
    monkeypatch.delenv("HOPLINE_SERVICE", raising=False)
    monkeypatch.setenv("HOPLINE_FABRIC", RACK)
    assert hopline.mpi.ranks(names, "halo:grid=4x2", mapping="greedy") == hopline.mpi.ranks(names, "halo:grid=4x2", RACK, mapping="greedy")
    monkeypatch.delenv("HOPLINE_FABRIC")
    with pytest.raises(hopline.InputError, match="set HOPLINE_FABRIC to its dump or HOPLINE_SERVICE"):
        hopline.mpi.ranks(names, "halo:grid=4x2")


@pytest.fixture(params=["127.0.0.1:0", "unix:{}/routes"])
def service(request, tmp_path):
    """The route service of a rack, on a port and on a Unix socket."""
    listen = request.param.format(tmp_path)
    words = [os.environ["HOPLINE_COMMAND"], "fabric", "serve", str(ROOT / RACK), "--listen", listen]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        yield server.stderr.readline().split()[-1]
        server.terminate()


def test_a_service_tells_the_same_as_the_dump(service, monkeypatch):
    monkeypatch.delenv("HOPLINE_FABRIC", raising=False)
    monkeypatch.setenv("HOPLINE_SERVICE", service)
    names = [f"node{1 + process * 7 % 64:03}" for process in range(16)] * 2
    new = hopline.mpi.ranks([f"{name}.cluster" for name in names], "halo:grid=8x4", mapping="greedy")
    assert new == hopline.mpi.ranks(names, "halo:grid=8x4", RACK, mapping="greedy")
    assert hopline.mpi.ranks(["node001"] * 4, "halo:grid=2x2") == [0, 1, 2, 3]
    with pytest.raises(hopline.RunError, match="no route from node001 to elsewhere: nothing is called elsewhere"):
        hopline.mpi.ranks(["node001", "elsewhere"], "halo:grid=2x1")


def answering(lines):
    """A server on loopback that answers with these lines, one for each question."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        stream, _ = listener.accept()
        with stream, stream.makefile("rwb") as asked:
            for line in lines:
                if not asked.readline():
                    return
                asked.write(line + b"\n")
                asked.flush()

    threading.Thread(target=serve, daemon=True).start()
    return "127.0.0.1:%d" % listener.getsockname()[1]


def test_a_service_that_cannot_be_trusted_is_refused(monkeypatch):
    monkeypatch.delenv("HOPLINE_FABRIC", raising=False)
    link = '{"from":"a","gb_s":4.0,"in":1,"out":1,"speed":"4xQDR","to":"b"}'
    route = '{"generation":%d,"from":"a","links":[' + link + '],"to":"b"}'
    for lines, told in [
        ([b"HTTP/1.1 400 Bad Request"], "no route service"),
        ([b"[]", b"{}"], "no route service"),
        ([b'{"generation":1}', b"{}"], "no route service"),
        ([], "no route service|serve"),
        ([(route % 1).encode(), (route % 2).encode()], "changed while it was asked"),
    ]:
        monkeypatch.setenv("HOPLINE_SERVICE", answering(lines))
        with pytest.raises(hopline.RunError, match=told):
            hopline.mpi.ranks(["a", "b"], "halo:grid=2x1")
    monkeypatch.setenv("HOPLINE_SERVICE", "127.0.0.1:1")
    with pytest.raises(hopline.RunError, match="is `hopline fabric serve` running there"):
        hopline.mpi.ranks(["a", "b"], "halo:grid=2x1")
    monkeypatch.setenv("HOPLINE_SERVICE", "nowhere")
    with pytest.raises(hopline.InputError, match="expected HOST:PORT"):
        hopline.mpi.ranks(["a", "b"], "halo:grid=2x1")
    with pytest.raises(hopline.InputError, match="more than the 512"):
        hopline.mpi.ranks([f"n{host}" for host in range(600)], "halo:grid=600x1")


@pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="no Open MPI")
def test_a_program_asks_the_service(service):
    script = """
from mpi4py import MPI
import hopline.mpi
world = MPI.COMM_WORLD
new = hopline.mpi.order(world, "halo:grid=2x2", name=f"node0{world.Get_rank() % 2}1", mapping="greedy")
new = world.gather(new, root=0)
if new:
    print(*sorted(new))
"""
    ranks = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "4", sys.executable, "-c", script]
    own = {**os.environ, "OMPI_MCA_btl": "self,vader", "RAYON_NUM_THREADS": "1", "HOPLINE_SERVICE": service}
    done = subprocess.run(ranks, capture_output=True, text=True, timeout=120, env=own)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0 1 2 3\n"


@pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="no Open MPI")
def test_a_program_of_mpi4py_gets_better_ranks():
    ranks = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "8", sys.executable, "-c", SCRIPT]
    quiet = {**os.environ, "OMPI_MCA_btl": "self,vader", "RAYON_NUM_THREADS": "1"}
    done = subprocess.run(ranks, capture_output=True, text=True, timeout=120, env=quiet)
    assert done.returncode == 0, done.stderr
    after = done.stdout.split()
    assert len(after) == 8 and hop_bytes(after) < hop_bytes([f"n{p % 4}" for p in range(8)])

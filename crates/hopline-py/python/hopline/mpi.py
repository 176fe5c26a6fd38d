"""The ranks of a job that runs, by the fabric that it runs on: for mpi4py.

    new = hopline.mpi.order(comm, "halo:grid=8x8", hopline.Fabric.from_dump("/etc/fabric"))
    better = comm.Split(key=new)
"""

from __future__ import annotations

import os
import socket
from typing import Any, Sequence

from . import _service
from ._calls import map
from ._errors import InputError, RunError
from ._fabric import Fabric
from ._job import Job


def order(comm: Any, job: Any, fabric: Any = None, *, name: str | None = None, **keys: Any) -> int:
    """The rank that this process should have in a communicator that sends as ``job`` says.

    All processes of ``comm`` call it. Processes stay where they are; who sends much to whom comes to sit near by. Without a
    fabric it is the dump that ``HOPLINE_FABRIC`` names, or what the route service at ``HOPLINE_SERVICE`` tells. ``name``
    is this process's host as the fabric calls it, else the system's name, whole or up to its first dot. Only rank 0
    computes, so it alone needs the fabric, the job and these variables; ``keys`` are those of :func:`hopline.map`.

    What goes wrong on rank 0 is raised there, and on all others with the same words.
    """
    names = comm.gather(name or socket.gethostname(), root=0)
    found: Any = None
    if comm.Get_rank() == 0:
        try:
            found = ranks(names, job, fabric, **keys)
        except BaseException as error:
            # Whatever it is: the others wait.
            comm.bcast((isinstance(error, InputError), str(error) or type(error).__name__), root=0)
            raise
    found = comm.bcast(found, root=0)
    if isinstance(found, tuple):
        is_input, words = found
        raise (InputError if is_input else RunError)(words)
    return found[comm.Get_rank()]


def ranks(names: Sequence[str], job: Any, fabric: Any = None, **keys: Any) -> list[int]:
    """The same for all processes at once, from the names of their hosts: a new rank for each, none twice."""
    if fabric is None:
        fabric, known_ways = _at_hand(list(dict.fromkeys(names)))
        keys = {**known_ways, **keys}
    fabric = Fabric.of(fabric)
    known = set(fabric.hosts)
    hosts: dict[str, list[int]] = {}
    for process, given in enumerate(names):
        host = next((one for one in (given, given.partition(".")[0]) if one in known), None)
        if host is None:
            raise InputError(f"{fabric.name} has no host `{given}`; give name=, or names= of a model's hosts")
        hosts.setdefault(host, []).append(process)
    most = max(len(own) for own in hosts.values())
    if fabric.slots < most * len(known):
        fabric = fabric.with_slots(most)
    allocation = ",".join(f"{host}:{len(own)}" for host, own in hosts.items())
    found = map(fabric, Job.of(job), hosts=allocation, **keys)
    placed = found.task_hosts or []
    if len(placed) != len(names):
        raise InputError(f"the job has {len(placed)} tasks, but {len(names)} processes run")
    # Tasks of a host go to its processes in their order.
    new = [0] * len(names)
    waiting = {host: iter(own) for host, own in hosts.items()}
    for task, host in enumerate(placed):
        new[next(waiting[host])] = task
    return new


def _at_hand(hosts: Sequence[str]) -> tuple[Fabric, dict[str, Any]]:
    """The fabric that the environment names, and how it routes where that is told."""
    dump, server = os.environ.get("HOPLINE_FABRIC"), os.environ.get("HOPLINE_SERVICE")
    if dump:
        return Fabric.from_dump(dump), {}
    if not server:
        raise InputError("no fabric is given; give one, or set HOPLINE_FABRIC to its dump or HOPLINE_SERVICE to HOST:PORT or unix:PATH")
    fabric, routing = _service.told(server, hosts)
    # A host alone sends to nobody.
    return fabric, {"routing": routing} if routing else {}

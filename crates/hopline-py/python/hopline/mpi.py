"""The ranks of a job that runs, by the fabric that it runs on: for mpi4py.

    new = hopline.mpi.order(comm, "halo:grid=8x8", hopline.Fabric.from_dump("/etc/fabric"))
    better = comm.Split(key=new)
"""

from __future__ import annotations

import socket
from typing import Any, Sequence

from ._calls import map
from ._errors import Error, InputError
from ._fabric import Fabric
from ._job import Job


def order(comm: Any, job: Any, fabric: Any, *, name: str | None = None, **keys: Any) -> int:
    """The rank that this process should have in a communicator that sends as ``job`` says.

    All processes of ``comm`` call it. Processes stay where they are; who sends much to whom comes to sit near by. ``name``
    is this process's host as the fabric calls it, else the system's name, whole or up to its first dot. Only rank 0
    computes, so it alone needs the fabric and the job; ``keys`` are those of :func:`hopline.map`.

    Raises what goes wrong on rank 0, and on all others a ``RunError`` with its words.
    """
    names = comm.gather(name or socket.gethostname(), root=0)
    found: Any = None
    if comm.Get_rank() == 0:
        try:
            found = ranks(names, job, fabric, **keys)
        except Exception as error:
            comm.bcast(str(error), root=0)
            raise
    found = comm.bcast(found, root=0)
    if isinstance(found, str):
        raise Error(found)
    return found[comm.Get_rank()]


def ranks(names: Sequence[str], job: Any, fabric: Any, **keys: Any) -> list[int]:
    """The same for all processes at once, from the names of their hosts: a new rank for each, none twice."""
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

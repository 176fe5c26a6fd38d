"""The commands about machines as functions, and studies."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Sequence, Union

from ._ask import Keys, Machine, Traffic, ask, request
from ._errors import InputError
from ._fabric import Fabric
from ._inputs import Files, Words, in_memory, listed, options, word
from ._job import Job
from ._own import Own
from ._progress import Told
from ._result import Result
from ._routing import Routings

if TYPE_CHECKING:
    from ._typed import Check, Compare, Diff, Reproduction, Route


def show(
    fabric: Machine,
    *,
    switches: bool = False,
    hosts: bool = False,
    routing: Routings = None,
    seed: int | None = None,
) -> Result:
    """What a fabric is, or a row for each of its switches or hosts; ``hopline fabric show``."""
    words, own = request(fabric, None, None, dict(switches=switches, hosts=hosts, routing=routing, seed=seed))
    return ask(["fabric", "show", *words], own, None)


def route(
    fabric: Machine,
    source: str,
    target: str,
    *,
    paths: int | None = None,
    routing: Routings = None,
    seed: int | None = None,
) -> Route:
    """The way from one host to another; ``hopline fabric route``."""
    words, own = request(fabric, None, None, dict(routing=routing, paths=paths, seed=seed))
    return ask(["fabric", "route", *words, source, target], own, None)


def check(fabric: Machine, *, routing: Routings = None, seed: int | None = None) -> Check:
    """Unreachable pairs, circles, possible deadlock; ``hopline fabric check``."""
    words, own = request(fabric, None, None, dict(routing=routing, seed=seed))
    return ask(["fabric", "check", *words], own, None)


def diff(
    before: Machine,
    after: Machine,
    job: Traffic = None,
    *,
    routing: str | None = None,
    list: int | None = None,
    seed: int | None = None,
    progress: Told = None,
) -> Diff:
    """What changed between two looks at a machine and what it costs; ``hopline fabric diff``."""
    words, own = request(None, job, None, dict(routing=_known(routing), list=list, seed=seed))
    looks = [_spec(look, own.files) for look in (before, after)]
    return ask(["fabric", "diff", *looks, *words], own, progress)


def compare(
    machines: Union[Machine, Sequence[Any]],
    jobs: Traffic = None,
    *,
    routing: str | Sequence[str] | None = None,
    prices: Keys = None,
    saturation: bool = False,
    warmup: int | None = None,
    cycles: int | None = None,
    router: Keys = None,
    seed: int | None = None,
    progress: Told = None,
) -> Compare:
    """Machines, or scenarios with one each, side by side: loads, cost and power for jobs; ``hopline compare``.

    ``hopline.map(fabric, job, mapping=[...])`` compares mappings.
    """
    own = Own()
    words: Words = ["compare"]
    for machine in _each(machines):
        is_scenario = isinstance(machine, (str, os.PathLike)) and os.fspath(machine).endswith(".toml")
        words += [os.fspath(machine)] if is_scenario else ["--topology", _spec(machine, own.files)]
    for job in [] if jobs is None else map(Job.of, _each(jobs)):
        words += ["--traffic", job.spec]
        own.files.update(job.files)
    given = dict(prices=prices, saturation=saturation, warmup=warmup, cycles=cycles, router=router, seed=seed)
    return ask([*words, *options(dict(routing=_known(routing), **given))], own, progress)


def _known(routing: Any) -> Any:
    """A routing of several machines is one that all know."""
    if not all(isinstance(one, str) for one in listed(routing) or [routing or ""]):
        raise InputError("a routing of one's own is that of one machine; expected one by its name, such as shortest")
    return routing


def _each(given: Any) -> Sequence[Any]:
    """A list holds several; a list of lists is a matrix, and so one."""
    return given if isinstance(given, (list, tuple)) and not any(isinstance(one, (list, tuple)) for one in given) else [given]


def _spec(machine: Machine, files: Files) -> str:
    """A machine in one word; what no key says, such as cables that are missing, is written as it is."""
    fabric = Fabric.of(machine)
    files.update(fabric._files)
    given = {name: word(value) for name, value in fabric._given.items() if value is not None}
    if fabric._routing is not None:
        raise InputError(f"{fabric.name} has a routing of its own, expected one for all machines: give routing= to the call")
    if "without" in given or any("," in value for value in given.values()):
        path, own = in_memory("fabric", fabric.export("json").encode(), ".json")
        files.update(own)
        return f"file:path={path}"
    known = fabric.spec
    if fabric._is_path:
        known = "file:" + (known if "=" in known else f"path={known}")
    return known + "".join(f"{',' if place or ':' in known else ':'}{key}={given[key]}" for place, key in enumerate(given))


def reproduce(
    study: str,
    *,
    quick: bool = False,
    fresh: bool = False,
    data: Any = None,
    seed: int | None = None,
    progress: Told = None,
) -> Reproduction:
    """A paper's tables, figures and claims beside what is computed; ``hopline reproduce``."""
    return ask(["reproduce", study, *options(dict(quick=quick, fresh=fresh, data=data, seed=seed))], Own(), progress)

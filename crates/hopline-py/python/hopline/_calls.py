"""The commands as functions. Every keyword is the option of that name: ``hopline load --help`` has more words on each."""

from __future__ import annotations

from typing import Any, Sequence

from ._ask import Keys, Machine, Mappings, Traffic, ask, mapped, of_schedule, on_job, request, seen
from ._errors import InputError
from ._inputs import options
from ._own import Own
from ._progress import Told
from ._result import Result
from ._routing import Routings, specs
from ._strategy import Problem


def load(
    fabric: Machine = None,
    job: Traffic = None,
    *,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: str | Sequence[str] | None = None,
    pin: Keys = None,
    forbid: str | None = None,
    capacity: Keys = None,
    hottest: int | None = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Result:
    """Expected load of every link under one mapping; ``hopline load``."""
    shared = dict(routing=routing, hosts=hosts, pin=pin, forbid=forbid, capacity=capacity, seed=seed)
    return on_job(["load"], fabric, job, scenario, mapping, progress, shared, dict(hottest=hottest))


def map(
    fabric: Machine = None,
    job: Traffic = None,
    *,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: str | Sequence[str] | None = None,
    pin: Keys = None,
    forbid: str | None = None,
    capacity: Keys = None,
    reorder_hosts: bool = False,
    objective: str | None = None,
    search: str | None = None,
    evaluations: int | None = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Result:
    """Mappings side by side, everything that fits where none is named; ``hopline map``.

    ``mapping`` may hold functions: each gets a :class:`Problem` and returns the slot of every task.
    """
    words, files = request(fabric, job, scenario, dict(hosts=hosts, pin=pin, forbid=forbid, capacity=capacity, seed=seed))
    routings = specs(routing, fabric, files)
    # A strategy sees one routing.
    first = options(dict(routing=routings[0].split(",")[0] if routings else None))
    placed = mapped(mapping, files, lambda: seen([*words, *first], files))
    own = dict(
        routing=routings or None, reorder_hosts=reorder_hosts, objective=objective, search=search, evaluations=evaluations
    )
    return ask(["map", *words, *placed, *options(own)], files, progress)


#: The same under the name that says what it does.
compare = map


def flits(
    fabric: Machine = None,
    job: Traffic = None,
    *,
    load: float | str | Sequence[float] | None = None,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: str | Sequence[str] | None = None,
    warmup: int | None = None,
    cycles: int | None = None,
    until: str | None = None,
    inject: str | None = None,
    router: Keys = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Result:
    """Latency and throughput against offered load, cycle by cycle; ``hopline flits``."""
    own = dict(load=load, warmup=warmup, cycles=cycles, until=until, inject=inject, router=router)
    return on_job(
        ["flits"], fabric, job, scenario, mapping, progress, dict(routing=routing, hosts=hosts, seed=seed), own
    )


def replay(
    fabric: Machine = None,
    schedule: str | None = None,
    *,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: str | Sequence[str] | None = None,
    model: Keys = None,
    iterations: int | None = None,
    bin: float | None = None,
    watch: str | Sequence[str] | None = None,
    critical: int | None = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Result:
    """A collective, an application or a trace packet by packet; ``hopline replay``."""
    own = dict(schedule=schedule, model=model, iterations=iterations, bin=bin, watch=watch, critical=critical)
    return on_job(
        ["replay"], fabric, None, scenario, mapping, progress, dict(routing=routing, hosts=hosts, seed=seed), own,
        of_schedule(schedule),
    )  # fmt: skip


def collective(
    name: str,
    fabric: Machine = None,
    *,
    size: str | Sequence[Any] | None = None,
    order: str | Sequence[str] | None = None,
    algorithm: str | Sequence[str] | None = None,
    ranks: int | None = None,
    root: int | None = None,
    k: int | None = None,
    segment: str | int | None = None,
    cores: int | None = None,
    evaluations: int | None = None,
    routing: Routings = None,
    hosts: str | Sequence[str] | None = None,
    model: Keys = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Result:
    """Algorithms of a collective and orders of its ranks by predicted time; ``hopline collective``."""
    own = dict(
        size=size, order=order, algorithm=algorithm, ranks=ranks, root=root, k=k, segment=segment, cores=cores,
        evaluations=evaluations, model=model,
    )  # fmt: skip
    shared = dict(routing=routing, hosts=hosts, seed=seed)
    return on_job(["collective", name], fabric, None, scenario, None, progress, shared, own)


def power(
    fabric: Machine = None,
    job: Traffic = None,
    *,
    schedule: str | None = None,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: str | Sequence[str] | None = None,
    connected: bool = False,
    spare: bool = False,
    bisection: float | None = None,
    list: int | None = None,
    power: Keys = None,
    policy: str | Sequence[str] | None = None,
    iterations: int | None = None,
    bin: float | None = None,
    model: Keys = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Result:
    """Links that a job never uses, and what it saves to switch them off; ``hopline power``."""
    own = dict(
        schedule=schedule, connected=connected, spare=spare, bisection=bisection, list=list, power=power,
        policy=policy, iterations=iterations, bin=bin, model=model,
    )  # fmt: skip
    return on_job(
        ["power"], fabric, job, scenario, mapping, progress, dict(routing=routing, hosts=hosts, seed=seed), own,
        seen if schedule is None else of_schedule(schedule),
    )  # fmt: skip


def whatif(
    fabric: Machine = None,
    job: Traffic = None,
    *,
    without: str | Sequence[str] | None = None,
    each: str | None = None,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: str | Sequence[str] | None = None,
    hottest: int | None = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Result:
    """What a missing cable, switch or host does, or each in turn; ``hopline fabric whatif``."""
    own = dict(without=without, each=each, hottest=hottest)
    shared = dict(routing=routing, hosts=hosts, seed=seed)
    return on_job(["fabric", "whatif"], fabric, job, scenario, mapping, progress, shared, own)


def show(fabric: Machine, *, switches: bool = False, hosts: bool = False) -> Result:
    """What a fabric is; ``hopline fabric show``."""
    words, files = request(fabric, None, None, {})
    return ask(["fabric", "show", *words, *options(dict(switches=switches, hosts=hosts))], files, None)


def route(fabric: Machine, source: str, target: str, *, paths: int | None = None, routing: Routings = None) -> Result:
    """The way from one host to another; ``hopline fabric route``."""
    words, files = request(fabric, None, None, dict(routing=routing, paths=paths))
    return ask(["fabric", "route", *words, source, target], files, None)


def check(fabric: Machine, *, routing: Routings = None) -> Result:
    """Unreachable pairs, circles, possible deadlock; ``hopline fabric check``."""
    words, files = request(fabric, None, None, dict(routing=routing))
    return ask(["fabric", "check", *words], files, None)


def reproduce(
    study: str,
    *,
    quick: bool = False,
    fresh: bool = False,
    data: str | None = None,
    seed: int | None = None,
    progress: Told = None,
) -> Result:
    """A paper's tables, figures and claims beside what is computed; ``hopline reproduce``."""
    return ask(["reproduce", study, *options(dict(quick=quick, fresh=fresh, data=data, seed=seed))], Own(), progress)


def problem(fabric: Machine = None, job: Traffic = None, *, routing: Routings = None, hosts: Any = None, seed: int | None = None, scenario: Any = None) -> Problem:  # fmt: skip
    """What a strategy of one's own would see."""
    if fabric is None and scenario is None:
        raise InputError("no fabric is given; give one such as Fabric('percs:ns=32,nd=4')")
    words, files = request(fabric, job, scenario, dict(routing=routing, hosts=hosts, seed=seed))
    return seen(words, files)

"""The commands about a job on a machine as functions. Every keyword is the option of that name: ``hopline load --help`` has more
words on each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence, Union

from ._ask import Hosts, Keys, Machine, Mappings, Traffic, of_nobody, of_schedule, on_job, seen_by
from ._progress import Told
from ._result import Result
from ._routing import Routings
from ._strategy import Problem

if TYPE_CHECKING:
    from ._typed import Flits, Load, Map, Power, Replay

#: One, or several with commas between them, or a list.
Several = Union[str, Sequence[Any], None]

# Every argument is an option, so a function hands on all that it has.


def load(
    fabric: Machine = None,
    job: Traffic = None,
    *,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: Hosts = None,
    pin: Keys = None,
    forbid: Hosts = None,
    capacity: Keys = None,
    hottest: int | None = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Load:
    """Expected load of every link under one mapping; ``hopline load``."""
    return on_job(["load"], **locals())


def map(
    fabric: Machine = None,
    job: Traffic = None,
    *,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: Hosts = None,
    pin: Keys = None,
    forbid: Hosts = None,
    capacity: Keys = None,
    reorder_hosts: bool = False,
    objective: str | None = None,
    search: str | None = None,
    evaluations: int | None = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Map:
    """Mappings side by side, everything that fits where none is named; ``hopline map``.

    ``mapping`` may hold functions: each gets a :class:`Problem` and returns the slot of every task.
    """
    return on_job(["map"], **locals())


def flits(
    fabric: Machine = None,
    job: Traffic = None,
    *,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: Hosts = None,
    pin: Keys = None,
    forbid: Hosts = None,
    capacity: Keys = None,
    load: float | Several = None,
    warmup: int | None = None,
    cycles: int | None = None,
    until: str | None = None,
    interval: int | None = None,
    fail_at: int | None = None,
    repair_after: int | None = None,
    inject: str | None = None,
    router: Keys = None,
    power: Keys = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Flits:
    """Latency and throughput against offered load, cycle by cycle; ``hopline flits``."""
    return on_job(["flits"], **locals())


def replay(
    fabric: Machine = None,
    schedule: str | None = None,
    *,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: Hosts = None,
    pin: Keys = None,
    forbid: Hosts = None,
    capacity: Keys = None,
    model: Keys = None,
    iterations: int | None = None,
    bin: float | None = None,
    watch: Several = None,
    critical: int | None = None,
    write: Any = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Replay:
    """A collective, an application or a trace packet by packet; ``hopline replay``."""
    return on_job(["replay"], **locals(), problem=of_schedule(schedule))


def collective(
    name: str,
    fabric: Machine = None,
    *,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: Hosts = None,
    pin: Keys = None,
    forbid: Hosts = None,
    capacity: Keys = None,
    size: Several = None,
    order: Several = None,
    algorithm: Several = None,
    ranks: int | None = None,
    root: int | None = None,
    k: int | None = None,
    segment: str | int | None = None,
    cores: int | None = None,
    evaluations: int | None = None,
    bound: bool = False,
    switches: Several = None,
    model: Keys = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Result:
    """Algorithms of a collective and orders of its ranks by predicted time, or with ``bound`` what no schedule can beat;
    ``hopline collective``.
    """
    given = locals()
    return on_job(["collective", given.pop("name")], **given, problem=of_nobody)


def check_schedule(
    file: Any,
    fabric: Machine = None,
    *,
    size: Several = None,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: Hosts = None,
    pin: Keys = None,
    forbid: Hosts = None,
    capacity: Keys = None,
    model: Keys = None,
    seed: int | None = None,
    progress: Told = None,
) -> Result:
    """Whether MSCCL XML or TE-CCL's JSON is right, and on a fabric how near to what no schedule can beat;
    ``hopline collective check``.
    """
    given = locals()
    return on_job(["collective", "check", str(given.pop("file"))], **given, problem=of_nobody)


def power(
    fabric: Machine = None,
    job: Traffic = None,
    *,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: Hosts = None,
    pin: Keys = None,
    forbid: Hosts = None,
    capacity: Keys = None,
    schedule: str | None = None,
    connected: bool = False,
    spare: bool = False,
    bisection: float | None = None,
    list: int | None = None,
    power: Keys = None,
    policy: Several = None,
    iterations: int | None = None,
    bin: float | None = None,
    model: Keys = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Power:
    """Links that a job never uses, and what it saves to switch them off; ``hopline power``."""
    return on_job(["power"], **locals(), problem=None if schedule is None else of_schedule(schedule))


def whatif(
    fabric: Machine = None,
    job: Traffic = None,
    *,
    mapping: Mappings = None,
    routing: Routings = None,
    hosts: Hosts = None,
    pin: Keys = None,
    forbid: Hosts = None,
    capacity: Keys = None,
    without: Several = None,
    each: str | None = None,
    list: int | None = None,
    hottest: int | None = None,
    seed: int | None = None,
    scenario: Any = None,
    progress: Told = None,
) -> Result:
    """What a missing cable, switch or host does, or each in turn; ``hopline fabric whatif``."""
    return on_job(["fabric", "whatif"], **locals())


def problem(
    fabric: Machine = None,
    job: Traffic = None,
    *,
    routing: Routings = None,
    hosts: Hosts = None,
    pin: Keys = None,
    forbid: Hosts = None,
    capacity: Keys = None,
    seed: int | None = None,
    scenario: Any = None,
) -> Problem:
    """What a strategy of one's own would see."""
    return seen_by(**locals())

"""The commands as functions. Every keyword is the option of that name: ``hopline load --help`` has more words on each."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence, Union

from . import _hopline
from ._errors import InputError, Interrupted
from ._fabric import Fabric
from ._inputs import Files, Job, Progress, Words, as_words, bar, options
from ._result import Result
from ._routing import Routings, specs
from ._strategy import Problem, file_of, named

#: A machine: a :class:`Fabric` or a spec.
Machine = Union[Fabric, str, None]
#: A job: a pattern's spec, a :class:`Job`, a matrix, or a frame of edges.
Traffic = Any
#: Specs of mappings, strategies in Python, or arrays with the slot of every task.
Mappings = Union[str, Callable[[Problem], Any], Sequence[Any], None]
Keys = Union[str, Mapping[str, Any], None]


def _request(fabric: Machine, job: Traffic, scenario: Any, given: Mapping[str, Any]) -> tuple[Words, Files]:
    """The words that all commands share, and the files that they name."""
    words: Words = [] if scenario is None else [str(scenario)]
    routings, files = specs(given.get("routing"), fabric)
    if routings:
        given = {**given, "routing": routings}
    if fabric is not None:
        fabric = Fabric.of(fabric)
        words += fabric._machine
        files.update(fabric._files)
        if fabric._routing is not None and given.get("routing") is None:
            words += ["--routing", fabric._routing]
    if job is not None:
        job = Job.of(job)
        words += ["--traffic", job.spec]
        files.update(job.files)
    return words + options(given), files


def _mapped(words: Words, files: Files, mapping: Mappings) -> Words:
    """Mappings as specs: a strategy is asked, and what it chose is a file in memory."""
    # An array is one mapping, a list of numbers too.
    one = hasattr(mapping, "__array__") or (isinstance(mapping, (list, tuple)) and all(_is_number(m) for m in mapping))
    specs: list[str] = []
    for each in [mapping] if one and mapping is not None else as_words(mapping):
        if isinstance(each, str):
            specs.append(each)
            continue
        slots = each(Problem(_hopline.Problem(["load", *words], files))) if callable(each) else each
        spec, own = file_of(slots, named(each))
        files.update(own)
        specs.append(spec)
    return ["--mapping", ",".join(specs)] if specs else []


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _ask(words: Words, files: Files, progress: Union[bool, Progress, None]) -> Result:
    answer = _hopline.answer(words, files, bar(progress))
    result = Result(answer)
    if answer.interrupted:
        raise Interrupted(result)
    return result


def _on_job(
    command: Words,
    fabric: Machine,
    job: Traffic,
    scenario: Any,
    mapping: Mappings,
    progress: Union[bool, Progress, None],
    shared: Mapping[str, Any],
    own: Mapping[str, Any] = {},
) -> Result:
    words, files = _request(fabric, job, scenario, shared)
    return _ask([*command, *words, *_mapped(words, files, mapping), *options(own)], files, progress)


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
    progress: Union[bool, Progress, None] = None,
) -> Result:
    """Expected load of every link under one mapping; ``hopline load``."""
    shared = dict(routing=routing, hosts=hosts, pin=pin, forbid=forbid, capacity=capacity, seed=seed)
    return _on_job(["load"], fabric, job, scenario, mapping, progress, shared, dict(hottest=hottest))


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
    progress: Union[bool, Progress, None] = None,
) -> Result:
    """Mappings side by side, everything that fits where none is named; ``hopline map``.

    ``mapping`` may hold functions: each gets a :class:`Problem` and returns the slot of every task.
    """
    routings, given = specs(routing, fabric)
    words, files = _request(fabric, job, scenario, dict(hosts=hosts, pin=pin, forbid=forbid, capacity=capacity, seed=seed))
    files.update(given)
    # What a strategy sees has one routing, and where it may sit.
    first = options(dict(routing=routings[0].split(",")[0] if routings else None))
    mapped = _mapped([*words, *first], files, mapping)
    own = dict(
        routing=routings or None, reorder_hosts=reorder_hosts, objective=objective, search=search, evaluations=evaluations
    )
    return _ask(["map", *words, *mapped, *options(own)], files, progress)


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
    progress: Union[bool, Progress, None] = None,
) -> Result:
    """Latency and throughput against offered load, cycle by cycle; ``hopline flits``."""
    own = dict(load=load, warmup=warmup, cycles=cycles, until=until, inject=inject, router=router)
    return _on_job(
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
    progress: Union[bool, Progress, None] = None,
) -> Result:
    """A collective, an application or a trace packet by packet; ``hopline replay``."""
    own = dict(schedule=schedule, model=model, iterations=iterations, bin=bin, watch=watch, critical=critical)
    return _on_job(
        ["replay"], fabric, None, scenario, mapping, progress, dict(routing=routing, hosts=hosts, seed=seed), own
    )


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
    progress: Union[bool, Progress, None] = None,
) -> Result:
    """Algorithms of a collective and orders of its ranks by predicted time; ``hopline collective``."""
    own = dict(
        size=size, order=order, algorithm=algorithm, ranks=ranks, root=root, k=k, segment=segment, cores=cores,
        evaluations=evaluations, model=model,
    )  # fmt: skip
    shared = dict(routing=routing, hosts=hosts, seed=seed)
    return _on_job(["collective", name], fabric, None, scenario, None, progress, shared, own)


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
    progress: Union[bool, Progress, None] = None,
) -> Result:
    """Links that a job never uses, and what it saves to switch them off; ``hopline power``."""
    own = dict(
        schedule=schedule, connected=connected, spare=spare, bisection=bisection, list=list, power=power,
        policy=policy, iterations=iterations, bin=bin, model=model,
    )  # fmt: skip
    return _on_job(
        ["power"], fabric, job, scenario, mapping, progress, dict(routing=routing, hosts=hosts, seed=seed), own
    )


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
    progress: Union[bool, Progress, None] = None,
) -> Result:
    """What a missing cable, switch or host does, or each in turn; ``hopline fabric whatif``."""
    own = dict(without=without, each=each, hottest=hottest)
    shared = dict(routing=routing, hosts=hosts, seed=seed)
    return _on_job(["fabric", "whatif"], fabric, job, scenario, mapping, progress, shared, own)


def show(fabric: Machine, *, switches: bool = False, hosts: bool = False) -> Result:
    """What a fabric is; ``hopline fabric show``."""
    words, files = _request(fabric, None, None, {})
    return _ask(["fabric", "show", *words, *options(dict(switches=switches, hosts=hosts))], files, None)


def route(fabric: Machine, source: str, target: str, *, paths: int | None = None, routing: Routings = None) -> Result:
    """The way from one host to another; ``hopline fabric route``."""
    words, files = _request(fabric, None, None, dict(routing=routing, paths=paths))
    return _ask(["fabric", "route", *words, source, target], files, None)


def check(fabric: Machine, *, routing: Routings = None) -> Result:
    """Unreachable pairs, circles, possible deadlock; ``hopline fabric check``."""
    words, files = _request(fabric, None, None, dict(routing=routing))
    return _ask(["fabric", "check", *words], files, None)


def reproduce(
    study: str,
    *,
    quick: bool = False,
    fresh: bool = False,
    data: str | None = None,
    seed: int | None = None,
    progress: Union[bool, Progress, None] = None,
) -> Result:
    """A paper's tables, figures and claims beside what is computed; ``hopline reproduce``."""
    return _ask(["reproduce", study, *options(dict(quick=quick, fresh=fresh, data=data, seed=seed))], {}, progress)


def problem(fabric: Machine = None, job: Traffic = None, *, routing: Routings = None, hosts: Any = None, seed: int | None = None, scenario: Any = None) -> Problem:  # fmt: skip
    """What a strategy of one's own would see."""
    if fabric is None and scenario is None:
        raise InputError("no fabric is given; give one such as Fabric('percs:ns=32,nd=4')")
    words, files = _request(fabric, job, scenario, dict(routing=routing, hosts=hosts, seed=seed))
    return Problem(_hopline.Problem(["load", *words], files))

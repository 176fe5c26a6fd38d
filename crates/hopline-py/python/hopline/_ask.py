"""How a call becomes words of the command line, and its answer a result."""

from __future__ import annotations

import re
from typing import Any, Callable, Mapping, Sequence, Union

from . import _hopline
from ._errors import InputError, Interrupted
from ._fabric import Fabric
from ._inputs import Words, options
from ._job import Job
from ._own import Own, called, names, readable_errors
from ._progress import Told, told
from ._result import Result
from ._routing import specs
from ._strategy import Problem, slots_of

#: A machine: a :class:`Fabric` or a spec.
Machine = Union[Fabric, str, None]
#: A job: a pattern's spec, a :class:`Job`, a matrix, or a frame of edges.
Traffic = Any
#: Specs of mappings, strategies in Python, or the slot of every task.
Mappings = Union[str, Callable[[Problem], Any], Sequence[Any], Mapping[Any, int], None]
#: Keys and their values: words with commas between them, or a dict.
Keys = Union[str, Mapping[Any, Any], None]
#: Hosts: words with commas between them, or a list.
Hosts = Union[str, Sequence[Any], None]
#: The first of several routings, with its keys.
_FIRST = re.compile(r"(--routing=[^,]*(?:,[\w-]+=[^,]*)*).*")
#: Options that say what a strategy sees, too.
SHARED = ("routing", "hosts", "pin", "forbid", "capacity", "seed")


def request(fabric: Machine, job: Traffic, scenario: Any, given: Mapping[str, Any]) -> tuple[Words, Own]:
    """The words that all commands share, and what is in memory."""
    words: Words = [] if scenario is None else [str(scenario)]
    own = Own()
    routings = specs(given.get("routing"), fabric, own)
    if routings:
        given = {**given, "routing": routings}
    if fabric is not None:
        fabric = Fabric.of(fabric)
        words += fabric._machine
        own.files.update(fabric._files)
        if fabric._routing is not None and not routings:
            words += ["--routing", fabric._routing]
    if job is not None:
        job = Job.of(job)
        words += ["--traffic", job.spec]
        own.files.update(job.files)
    return words + options(given), own


def mapped(mapping: Any, own: Own, problem: Callable[[], Problem]) -> Words:
    """Mappings as specs: a strategy is asked, and what it chose lies in memory."""
    given = [] if mapping is None else [mapping] if _is_one(mapping) else list(mapping)
    taken = names(given)
    shown: Problem | None = None
    chosen: list[str] = []
    for each in given:
        if isinstance(each, str):
            chosen.append(each)
            continue
        who = "this mapping"
        slots = each
        if callable(each):
            who = f"what the strategy `{called(each)}` returned"
            shown = shown or problem()
            slots = each(shown)
        slots = slots_of(slots, who)
        chosen.append("file:path=" + own.put("mapping", each, "".join(f"{slot}\n" for slot in slots), taken))
    return ["--mapping", ",".join(chosen)] if chosen else []


def _is_one(mapping: Any) -> bool:
    """A list of mappings holds words, functions or lists; all else is the slots of one."""
    is_list = isinstance(mapping, (list, tuple))
    return not (is_list and any(isinstance(one, str) or callable(one) or hasattr(one, "__len__") for one in mapping))


def ask(words: Words, own: Own, progress: Told) -> Any:
    """The answer of a command, a :class:`Result` with the keys of its document."""
    with readable_errors(), told(progress) as tell:
        answer = _hopline.answer(words, own.files, tell)
        if answer.interrupted:
            raise Interrupted(Result(answer))
    return Result(answer)


def on_job(
    command: Words,
    *,
    fabric: Machine,
    job: Traffic = None,
    scenario: Any = None,
    mapping: Mappings = None,
    progress: Told = None,
    problem: Callable[[Words, Own], Problem] | None = None,
    **given: Any,
) -> Any:
    """The answer of a command about a job on a machine, from all that its function was given."""
    shared = {name: given.pop(name) for name in SHARED}
    words, own = request(fabric, job, scenario, shared)
    placed = mapped(mapping, own, lambda: (problem or seen)(words, own))
    return ask([*command, *words, *placed, *options(given)], own, progress)


def seen(words: Words, own: Own) -> Problem:
    """What a strategy sees, with the first of several routings."""
    with readable_errors():
        return Problem(_hopline.Problem(["load", *(_FIRST.sub(r"\1", word) for word in words)], own.files))


def seen_by(*, fabric: Machine, job: Traffic, scenario: Any, **given: Any) -> Problem:
    """The same for who asks for it outside of a call."""
    return seen(*request(fabric, job, scenario, given))


def of_schedule(schedule: str | None) -> Callable[[Words, Own], Problem]:
    """What a strategy sees where a schedule says what is sent: all of it. As traffic it has its own kind in front."""

    def problem(words: Words, own: Own) -> Problem:
        if schedule is None:
            raise InputError("a strategy of one's own sees what is sent: give the schedule beside the scenario")
        return seen([*words, "--traffic", str(schedule).removeprefix("collective:").removeprefix("app:")], own)

    return problem


def of_nobody(words: Words, own: Own) -> Problem:
    """Algorithms are compared, so nobody knows yet who sends what."""
    raise InputError("a collective's mapping is a spec or the slot of every rank: a strategy would see no traffic yet")

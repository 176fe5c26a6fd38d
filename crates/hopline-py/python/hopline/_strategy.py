"""Strategies of one's own."""

from __future__ import annotations

import functools
import json
from typing import Any

from . import _hopline
from ._errors import InputError
from ._inputs import whole
from ._needs import needed
from ._result import Record

#: What a strategy returns.
EXPECTED = "expected the slot of every task: a list or an array of whole numbers, or a dict from task to slot"


class Problem:
    """A job on a machine, as a strategy sees it: a function that takes it and returns the slot of every task."""

    def __init__(self, problem: _hopline.Problem) -> None:
        self._problem = problem

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return self._problem.tasks

    @property
    def seed(self) -> int:
        """Seed of the call, for random choices."""
        return self._problem.seed

    @property
    def grid(self) -> list[int] | None:
        """Extents of the grid of tasks, row by row; None where they stand in none."""
        return self._problem.grid

    @functools.cached_property
    def slots(self) -> Any:
        """Slots where tasks may sit, in the order of the launcher."""
        return _array(self._problem.slots())

    @functools.cached_property
    def hosts(self) -> Any:
        """The number of the host of each of ``slots``."""
        return _array(self._problem.hosts())

    @functools.cached_property
    def pairs(self) -> tuple[Any, Any, Any]:
        """Arrays: who sends, who receives, how much."""
        sources, targets, amounts = self._problem.pairs()
        return _array(sources), _array(targets), _array(amounts)

    @functools.cached_property
    def distances(self) -> Any:
        """Links between any two of ``slots``, in their order; 65535 where there is no way."""
        return _array(self._problem.distances())

    def score(self, slots: Any) -> Record:
        """What a mapping comes to: throughput, hop-bytes, load of each class."""
        return Record(json.loads(self._problem.score(slots_of(slots))))

    def loads(self, slots: Any) -> Any:
        """The load of every link under a mapping."""
        return _array(self._problem.loads(slots_of(slots)))


def _array(numbers: Any) -> Any:
    np = needed("numpy")

    return np.asarray(numbers)


def slots_of(answer: Any, who: str = "a mapping") -> list[int]:
    """The slot of every task, from an array, any sequence, or a dict from task to slot."""
    if hasattr(answer, "keys"):
        answer = _in_order(answer, who)
    elif answer is None or isinstance(answer, (str, bytes, set, frozenset)):
        raise InputError(f"{who} is {answer!r:.60}, {EXPECTED}")
    try:
        listed = answer.tolist() if hasattr(answer, "tolist") else list(answer)
        return [_slot(slot, task, who) for task, slot in enumerate(listed)]
    except TypeError:
        raise InputError(f"{who} is {answer!r:.60}, {EXPECTED}") from None


def _in_order(answer: Any, who: str) -> list[Any]:
    """Slots by the order of the tasks, which are the keys: a pandas Series has keys, too."""
    slots = dict(answer.items())
    try:
        return [slots[task] for task in range(len(slots))]
    except KeyError as missing:
        raise InputError(f"{who} has no task {missing} among its {len(slots)} keys, {EXPECTED}") from None


def _slot(slot: Any, task: int, who: str) -> int:
    number = whole(slot)
    if number is None or not 0 <= number < 2**32:
        raise InputError(f"{who} puts task {task} into {slot!r:.60}, {EXPECTED}")
    return number

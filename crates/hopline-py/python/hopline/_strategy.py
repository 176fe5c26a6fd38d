"""Strategies of one's own."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

from . import _hopline
from ._inputs import Files, in_memory
from ._result import Record


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
        return Record(json.loads(self._problem.score(_numbers(slots))))

    def loads(self, slots: Any) -> Any:
        """The load of every link under a mapping."""
        return _array(self._problem.loads(_numbers(slots)))


def _array(numbers: Any) -> Any:
    import numpy as np

    return np.asarray(numbers)


def _numbers(slots: Any) -> list[int]:
    """The slot of every task, from an array or any sequence."""
    listed = slots.tolist() if hasattr(slots, "tolist") else list(slots)
    from ._errors import InputError

    for task, slot in enumerate(listed):
        if isinstance(slot, bool) or not isinstance(slot, int) or not 0 <= slot < 2**32:
            raise InputError(f"task {task} sits in {slot!r}; a mapping is the slot of every task, whole numbers from 0")
    return listed


def named(strategy: Any) -> str:
    """A strategy's name as a part of a path."""
    return re.sub(r"[^A-Za-z0-9_]", "", getattr(strategy, "__name__", "")) or "mapping"


def file_of(slots: Any, name: str) -> tuple[str, Files]:
    """A mapping's spec, and the file that it names."""
    text = "".join(f"{slot}\n" for slot in _numbers(slots))
    path, files = in_memory(name, text.encode(), ".txt")
    return f"file:path={path}", files

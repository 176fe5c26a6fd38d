"""How far a call is: a callback, or a bar of tqdm."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Union

from ._needs import needed

#: Called with (stage, steps done, all steps).
Progress = Callable[[str, int, int], object]
Told = Union[bool, Progress, None]


@contextlib.contextmanager
def told(progress: Told) -> Iterator[Progress | None]:
    """The callback of a call; ``True`` is a bar, which is closed when the call ends, and full if it ends well."""
    if progress is not True:
        yield progress or None
        return
    bars = _Bars()
    try:
        yield bars
        bars.fill()
    finally:
        bars.close()


class _Bars:
    """A bar for each stage, one after the other."""

    def __init__(self) -> None:
        self._make: Any = needed("tqdm.auto").tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, steps: int) -> None:
        if self._bar is None or stage != self._stage or done == 0:
            self.fill()
            self.close()
            self._stage, self._bar = stage, self._make(total=steps or None, desc=stage)
        self._bar.n = done
        self._bar.refresh()

    def fill(self) -> None:
        """The last steps are told to nobody, since callbacks come no more often than people read."""
        if self._bar is not None and self._bar.total:
            self._bar.n = self._bar.total
            self._bar.refresh()

    def close(self) -> None:
        """No line is left open."""
        if self._bar is not None:
            self._bar.close()

"""What goes wrong, in the words of the command line."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Whatever Hopline refuses or cannot do."""


class InputError(Error, ValueError):
    """An input is wrong; the message names file and line, what was expected, and what to do."""


class RunError(Error, RuntimeError):
    """The run failed."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came; ``result`` is the best so far."""

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted: `.result` is the best so far")
        self.result = result

    def __reduce__(self) -> Any:
        return Interrupted, (self.result,)


# Tracebacks call them as people import them.
for _error in (Error, InputError, RunError, Interrupted):
    _error.__module__ = "hopline"

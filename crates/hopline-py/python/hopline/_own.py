"""Strategies and routings of one's own by their names.

The command line knows them as files, which lie in memory below :data:`PLACES`; what is shown has the name alone.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any, Iterator

from ._errors import Error
from ._inputs import Files

#: The folders of such files, which nobody has on disk.
PLACES = {"mapping": "@mapping/", "routing": "@routing/"}
_SHOWN = re.compile(r"(?:file:path=|paths:file=)?@(?:mapping|routing)/([\w-]+)(  +)?")


class Own:
    """What a call was given in Python in place of specs, each under another name."""

    def __init__(self) -> None:
        self.files: Files = {}

    def put(self, role: str, thing: Any, text: str, taken: set[str]) -> str:
        """The path of a text, called as what it was made from; others in the same table have the names that are taken."""
        name = given = called(thing)
        number = 1
        while (path := PLACES[role] + name) in self.files or name in taken:
            number += 1
            name = f"{given}-{number}"
        self.files[path] = text.encode()
        return path


def names(given: list[Any]) -> set[str]:
    """What the command's own mappings and routings are called in a list."""
    return {spec.partition(":")[0] for one in given if isinstance(one, str) for spec in one.split(",")}


def called(thing: Any) -> str:
    """A function's name; a lambda is a ``lambda``, and what is no function is ``given``."""
    if not callable(thing):
        return "given"
    name = getattr(thing, "__name__", None) or type(thing).__name__
    return re.sub(r"\W", "", name) or "given"


def readable(text: str) -> str:
    """A text of the command with names in place of paths; columns stay as wide as they are."""

    def shown(found: re.Match[str]) -> str:
        name, gap = found.groups()
        return name if gap is None else name.ljust(len(found[0]))

    return _SHOWN.sub(shown, text) if any(place in text for place in PLACES.values()) else text


@contextlib.contextmanager
def readable_errors() -> Iterator[None]:
    """The same of what is raised."""
    try:
        yield
    except Error as error:
        error.args = tuple(readable(one) if isinstance(one, str) else one for one in error.args)
        raise

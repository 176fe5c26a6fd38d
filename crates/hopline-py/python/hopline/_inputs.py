"""What a call is made of: words of the command line, and files in memory that they name."""

from __future__ import annotations

import hashlib
import operator
from typing import Any, Iterable, Mapping

Words = list[str]
Files = dict[str, bytes]
#: Options that stand once for each value.
REPEATED = ("without", "watch")


def in_memory(kind: str, content: bytes, suffix: str) -> tuple[str, Files]:
    """A path for content that has none: the same content has the same path."""
    path = f"{kind}-{hashlib.sha256(content).hexdigest()[:12]}{suffix}"
    return path, {path: content}


def spec(kind: str, keys: Mapping[str, Any]) -> str:
    """A kind with its keys as a scenario spells them: ``dragonfly:p=2,a=4,h=2``."""
    given = [(name.rstrip("_").replace("_", "-"), value) for name, value in keys.items() if value is not None]
    return kind + (":" + ",".join(f"{name}={word(value)}" for name, value in given) if given else "")


def word(value: Any) -> str:
    """A value as the command line takes it; of several, what stands between ``x`` is a list."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    several = listed(value)
    return str(value) if several is None else "x".join(word(item) for item in several)


def listed(value: Any) -> list[Any] | None:
    """What holds several, be it a tuple, a range or an array, as a list; None where it is one thing."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        return None
    return list(value)


def whole(value: Any) -> int | None:
    """A whole number, also one of NumPy's; None where it is something else."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def options(given: Mapping[str, Any]) -> Words:
    """Keyword arguments as options; those that are none or false are left out."""
    words: Words = []
    for name, value in given.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        several = listed(value)
        if value is None or value is False:
            continue
        # In one word, so that a value may begin with a dash.
        if value is True:
            words.append(option)
        elif name in REPEATED:
            words += [f"{option}={one}" for one in ([value] if several is None else several)]
        elif isinstance(value, Mapping):
            words.append(f"{option}=" + ",".join(f"{key}={word(one)}" for key, one in value.items()))
        elif several is not None:
            words.append(f"{option}=" + ",".join(str(one) for one in several))
        else:
            words.append(f"{option}={value}")
    return words

"""Routings of one's own."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Callable, Iterator, Mapping, Sequence, Union

from ._errors import InputError
from ._fabric import Fabric
from ._inputs import listed, spec, whole
from ._own import Own, names

#: The vertices from an adapter to another, by name or number.
Path = Sequence[Union[str, int]]
#: One path, several that are taken alike, or several with the share of each in front.
Paths = Union[Path, Sequence[Path], Sequence[tuple[float, Path]], None]
#: A spec, a function of the names of two adapters, or a table of them.
Routing = Union[str, Callable[[str, str], Paths], Mapping[tuple[Any, Any], Paths]]
Routings = Union[Routing, Sequence[Routing], None]


def specs(routings: Routings, fabric: Any, own: Own) -> list[str]:
    """Routings as specs: those of one's own are files in memory."""
    found: list[str] = []
    given = [] if routings is None else listed(routings) or [routings]
    taken = names(given)
    for routing in given:
        if isinstance(routing, str):
            found.append(routing)
            continue
        if fabric is None:
            raise InputError("a routing of one's own needs a fabric, beside the scenario")
        path = own.put("routing", routing, _text(routing, Fabric.of(fabric)), taken)
        found.append(spec("paths", {"file": path}))
    return found


def _text(routing: Any, fabric: Fabric) -> str:
    vertices = fabric.vertices
    numbers = {name: number for number, name in enumerate(vertices)}
    ends = vertices[: fabric.endpoints]

    def number(vertex: Any) -> int:
        known = numbers.get(vertex) if isinstance(vertex, str) else whole(vertex)
        if known is None or not 0 <= known < len(vertices):
            raise InputError(f"{vertex!r} is no vertex of {fabric.name}; Fabric.vertices has their names")
        return known

    if callable(routing):
        asked = ((source, target, routing(source, target)) for source in ends for target in ends if source != target)
    elif isinstance(routing, Mapping) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in routing):
        asked = ((source, target, paths) for (source, target), paths in routing.items())
    else:
        expected = "expected a spec, a function of two adapters, or a dict from pairs of them to paths"
        raise InputError(f"a routing is {routing!r:.60}, {expected}")
    lines: list[str] = []
    for source, target, paths in asked:
        for share, path in _several(paths):
            passed = [number(vertex) for vertex in path]
            if not passed or (passed[0], passed[-1]) != (number(source), number(target)):
                raise InputError(f"a path from {source!r} to {target!r} is {list(path)!r}, expected both at its ends")
            front = "" if share is None else f"{share!r}: "
            lines.append(front + ",".join(f"@{vertex}" for vertex in passed))
    return "\n".join(lines) + "\n"


def _several(given: Any) -> Iterator[tuple[float | None, Path]]:
    """The paths of a pair with their shares, where it has any."""
    if given is None:
        return
    paths = listed(given)
    if paths and isinstance(paths[0], (str, Integral)):
        yield None, paths
        return
    for one in [None] if paths is None else [listed(one) for one in paths]:
        if one is None:
            raise InputError(f"a path is {given!r:.60}, expected a list of vertices, or a list of paths")
        if len(one) == 2 and isinstance(one[0], Real) and not isinstance(one[1], (str, Integral)):
            yield float(one[0]), one[1]
        else:
            yield None, one

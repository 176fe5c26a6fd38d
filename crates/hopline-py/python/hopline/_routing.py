"""Routings of one's own."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Sequence, Union

from ._errors import InputError
from ._fabric import Fabric
from ._inputs import spec
from ._own import Own

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
    several = routings if isinstance(routings, (list, tuple)) else [] if routings is None else [routings]
    for routing in several:
        if isinstance(routing, str):
            found.append(routing)
            continue
        if not isinstance(fabric, (Fabric, str)):
            raise InputError("a routing of one's own needs a fabric, beside the scenario")
        path = own.put("routing", routing, _text(routing, Fabric.of(fabric)))
        found.append(spec("paths", {"file": path}))
    return found


def _text(routing: Any, fabric: Fabric) -> str:
    vertices = fabric.vertices
    numbers = {name: number for number, name in enumerate(vertices)}
    ends = vertices[: fabric.endpoints]

    def number(vertex: Any) -> int:
        known = numbers.get(vertex) if isinstance(vertex, str) else vertex
        if isinstance(known, bool) or not isinstance(known, int) or not 0 <= known < len(vertices):
            raise InputError(f"{vertex!r} is no vertex of {fabric.name}; Fabric.vertices has their names")
        return known

    if callable(routing):
        asked = ((source, target, routing(source, target)) for source in ends for target in ends if source != target)
    else:
        asked = ((source, target, paths) for (source, target), paths in routing.items())
    lines: list[str] = []
    for source, target, paths in asked:
        for share, path in _several(paths):
            passed = [number(vertex) for vertex in path]
            if not passed or (passed[0], passed[-1]) != (number(source), number(target)):
                raise InputError(f"a path from {source!r} to {target!r} is {list(path)!r}, expected both at its ends")
            front = "" if share is None else f"{share!r}: "
            lines.append(front + ",".join(f"@{vertex}" for vertex in passed))
    return "\n".join(lines) + "\n"


def _several(paths: Any) -> Iterator[tuple[float | None, Path]]:
    """The paths of a pair with their shares, where it has any."""
    if paths is None or len(paths) == 0:
        return
    if isinstance(paths, str):
        raise InputError(f"a path is {paths!r}, expected a list of vertices")
    if isinstance(paths[0], (str, int)):
        yield None, paths
        return
    for one in paths:
        if len(one) == 2 and isinstance(one[0], float) and not isinstance(one[1], (str, int)):
            yield float(one[0]), one[1]
        else:
            yield None, one

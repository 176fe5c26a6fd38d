"""Pictures with Matplotlib."""

from __future__ import annotations

from typing import Any

from ._errors import InputError
from ._needs import needed


def plot(result: Any, ax: Any = None) -> Any:
    """The picture that suits a result, on the axes that are given or on new ones."""
    draw = next((draw for key, draw in PICTURES.items() if key in result), _loads)
    if draw is _loads and result.link_loads is None:
        raise InputError(f"`{result.command}` has no picture: table() has its numbers")
    ax = needed("matplotlib.pyplot").subplots()[1] if ax is None else ax
    draw(result, ax)
    ax.set_title(result.command)
    return ax


def _mappings(result: Any, ax: Any) -> None:
    """Throughput by mapping, with its routing where there are several."""
    candidates = result.to_dict()["candidates"]
    several = len({c["routing"] for c in candidates}) > 1
    names = [f"{c['mapping']}, {c['routing']}" if several else c["mapping"] for c in candidates]
    ax.barh(range(len(names)), [c["throughput_gb_s"] or 0.0 for c in candidates])
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel("throughput (GB/s)")


def _latencies(result: Any, ax: Any) -> None:
    points = result.to_dict()["points"]
    ax.plot([p["load"] for p in points], [p["latency_cycles"] for p in points], "o-")
    ax.set_xlabel("load (flits per cycle and endpoint)")
    ax.set_ylabel("latency (cycles)")


def _times(result: Any, ax: Any) -> None:
    """Time by size: a curve for each algorithm and order of ranks, beside what no schedule can beat where that is known."""
    curves: dict[str, list[tuple[int, float]]] = {}
    orders = {one["order"] for size in result.to_dict()["sizes"] for one in size["tried"]}
    for size in result.to_dict()["sizes"]:
        for one in size["tried"]:
            name = f"{one['algorithm']}, {one['order']}" if len(orders) > 1 else one["algorithm"]
            curves.setdefault(name, []).append((size["bytes"], one["time_s"]))
        if "bound_s" in size:
            curves.setdefault("bound", []).append((size["bytes"], size["bound_s"]))
    for name, points in curves.items():
        ax.plot(*zip(*points), "k--" if name == "bound" else "o-", label=name)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xlabel("size (bytes)")
    ax.set_ylabel("time (s)")
    ax.legend(fontsize="small")


def _finishes(result: Any, ax: Any) -> None:
    ax.plot(result.finish_s, "o-")
    ax.set_xlabel("rank")
    ax.set_ylabel("done after (s)")


def _loads(result: Any, ax: Any) -> None:
    ax.plot(sorted(result.link_loads, reverse=True))
    ax.set_xlabel("links, busiest first")
    ax.set_ylabel("load (bytes)" if result.unit == "bytes" else "load")


#: What is drawn of a document that has a key.
PICTURES = {"points": _latencies, "sizes": _times, "finish_s": _finishes, "best": _mappings}

"""Pictures with Matplotlib."""

from __future__ import annotations

from typing import Any


def plot(result: Any, ax: Any = None) -> Any:
    """The picture that suits a result, on the axes that are given or on new ones."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as e:
        raise ImportError("plots need Matplotlib: pip install matplotlib") from e
    ax = plt.subplots()[1] if ax is None else ax
    kind = result["command"]
    if kind == "map":
        names = [c["mapping"] for c in result.to_dict()["candidates"]]
        ax.barh(range(len(names)), [c["throughput_gb_s"] or 0.0 for c in result.to_dict()["candidates"]])
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.set_xlabel("throughput (GB/s)")
    elif kind == "flits":
        points = result.to_dict()["points"]
        ax.plot([p["load"] for p in points], [p["latency_cycles"] for p in points], "o-")
        ax.set_xlabel("load (flits per cycle and endpoint)")
        ax.set_ylabel("latency (cycles)")
    elif result.link_loads is not None:
        ax.plot(sorted(result.link_loads, reverse=True))
        ax.set_xlabel("links, busiest first")
        ax.set_ylabel("load (bytes)" if result["unit"] == "bytes" else "load")
    else:
        table = result.table()
        name, numbers = next(
            (name, column)
            for name, column in table.columns.items()
            if column and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in column)
        )
        ax.plot(numbers, "o-")
        ax.set_ylabel(name)
    ax.set_title(result["command"])
    return ax


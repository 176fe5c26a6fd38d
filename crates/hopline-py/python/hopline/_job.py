"""Jobs: who sends how much to whom."""

from __future__ import annotations

import io
import os
from typing import Any, Mapping

from ._errors import InputError
from ._inputs import Files, in_memory, spec
from ._needs import needed
from ._result import Result
from ._table import Table

#: What a job may be made of.
EXPECTED = (
    "expected a pattern such as halo:grid=8x8, a path, a square of numbers, a dict from (from, to) to bytes, "
    "or columns source, target and bytes"
)
_SQUARE = "expected a square of numbers: bytes from row to column"


class Job:
    """Who sends how much to whom: a pattern such as ``halo:grid=64x64``, or a matrix in memory."""

    def __init__(self, spec: str, *, files: Files | None = None) -> None:
        self.spec = spec
        self.files: Files = dict(files or {})

    @classmethod
    def from_matrix(cls, matrix: Any) -> "Job":
        """Bytes from row to column: a square NumPy array, nested lists, a frame, or any sparse matrix of SciPy."""
        np = needed("numpy")

        if hasattr(matrix, "tocoo"):
            _check_square(matrix.shape)
            entries = matrix.tocoo()
            return cls._of_entries(entries.row, entries.col, _amounts(entries.data, "the matrix"), entries.shape[0])
        dense = _amounts(matrix, "the matrix", _SQUARE)
        _check_square(dense.shape)
        buffer = io.BytesIO()
        np.save(buffer, np.ascontiguousarray(dense))
        return cls._in_file(buffer.getvalue(), ".npy")

    @classmethod
    def from_edges(
        cls, edges: Any, *, source: str = "source", target: str = "target", bytes: str = "bytes", tasks: int | None = None
    ) -> "Job":
        """Rows of a frame, an Arrow table, or a dict of columns: ranks that send, ranks that receive, and bytes."""
        edges, known = _columns(edges)
        missing = [name for name in (source, target, bytes) if name not in known]
        if missing:
            has = ", ".join(str(name) for name in known) or "none"
            raise InputError(f"no column {', '.join(missing)}, there is {has}; Job.from_edges takes source=, target= and bytes=")
        amounts = _amounts(edges[bytes], f"column {bytes}")
        return cls._of_ranks(_ranks(edges[source], f"column {source}"), _ranks(edges[target], f"column {target}"), amounts, tasks)

    @classmethod
    def from_pairs(cls, pairs: Mapping[tuple[int, int], float], *, tasks: int | None = None) -> "Job":
        """A dict from who sends and who receives to bytes: ``{(0, 5): 1e6}``."""
        for key in pairs:
            if not isinstance(key, tuple) or len(key) != 2:
                raise InputError(f"a job with the key {key!r:.60}, {EXPECTED}")
        senders, receivers = (_ranks([key[place] for key in pairs], "a dict of pairs") for place in (0, 1))
        return cls._of_ranks(senders, receivers, _amounts(list(pairs.values()), "a dict of pairs"), tasks)

    @classmethod
    def _of_ranks(cls, senders: Any, receivers: Any, amounts: Any, tasks: int | None) -> "Job":
        if not len(senders) == len(receivers) == len(amounts):
            raise InputError(f"columns of {len(senders)}, {len(receivers)} and {len(amounts)} rows, expected as many")
        most = int(max(senders.max(initial=-1), receivers.max(initial=-1))) + 1
        if not most and not tasks:
            raise InputError("nobody sends anything: say with tasks= how many there are")
        if tasks is not None and tasks < most:
            raise InputError(f"rank {most - 1}, but the job has {tasks} tasks")
        return cls._of_entries(senders, receivers, amounts, tasks or most)

    @classmethod
    def _of_entries(cls, rows: Any, columns: Any, amounts: Any, tasks: int) -> "Job":
        np = needed("numpy")

        buffer = io.BytesIO()
        np.savez(
            buffer,
            row=np.asarray(rows, dtype=np.int64),
            col=np.asarray(columns, dtype=np.int64),
            data=amounts,
            shape=np.array([tasks, tasks], dtype=np.int64),
            format=np.array("coo".encode()),
        )
        return cls._in_file(buffer.getvalue(), ".npz")

    @classmethod
    def _in_file(cls, content: bytes, suffix: str) -> "Job":
        path, files = in_memory("matrix", content, suffix)
        return cls(spec("matrix", {"file": path}), files=files)

    @classmethod
    def of(cls, job: Any) -> "Job":
        """A job from what says one: a spec, a path, a matrix, a dict from pairs to bytes, or edges."""
        if isinstance(job, Job):
            return job
        if isinstance(job, (str, os.PathLike)):
            return cls(os.fspath(job))
        if isinstance(job, Mapping):
            return cls.from_edges(job) if {"source", "target", "bytes"} & set(job) else cls.from_pairs(job)
        if hasattr(job, "columns") and hasattr(job, "index") and list(job.columns) == list(job.index):
            return cls.from_matrix(job)
        if any(hasattr(job, name) for name in ("columns", "__arrow_c_stream__", "__dataframe__")):
            return cls.from_edges(job)
        if not any(hasattr(job, name) for name in ("__len__", "__array__", "tocoo")):
            raise InputError(f"a job is {job!r:.60}, {EXPECTED}")
        return cls.from_matrix(job)

    def __repr__(self) -> str:
        return f"Job({self.spec!r})"


def _amounts(values: Any, what: str, expected: str = "expected bytes as numbers") -> Any:
    np = needed("numpy")

    try:
        found = np.asarray(values)
        if found.dtype.kind not in "biufO":
            raise TypeError
        return np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        # Rows of different lengths are a ValueError, too.
        raise InputError(f"{what} has what are no amounts, or rows of different lengths; {expected}") from None


def _check_square(shape: Any) -> None:
    if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        raise InputError(f"a matrix of shape {tuple(shape)}, {_SQUARE}")


def _ranks(values: Any, what: str) -> Any:
    np = needed("numpy")

    ranks = np.asarray(values)
    if ranks.ndim != 1 or ranks.size and (ranks.dtype.kind not in "iu" or ranks.min() < 0):
        raise InputError(f"{what} has what are no ranks, expected whole numbers from 0")
    return ranks


def _columns(edges: Any) -> tuple[Any, list[Any]]:
    """What has columns by their names, and these."""
    if isinstance(edges, Result):
        edges = edges.table()
    if isinstance(edges, Table):
        edges = edges.columns
    if isinstance(edges, Mapping):
        return edges, list(edges)
    if hasattr(edges, "to_numpy") and hasattr(edges, "columns"):
        return edges, list(edges.columns)
    if not any(hasattr(edges, name) for name in ("__arrow_c_stream__", "__dataframe__")):
        raise InputError(f"edges are {edges!r:.60}, expected a frame or a dict of columns")
    is_stream = hasattr(edges, "__arrow_c_stream__")
    table = needed("pyarrow").table(edges) if is_stream else needed("pyarrow.interchange").from_dataframe(edges)
    return table, list(table.column_names)

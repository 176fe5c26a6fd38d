"""What a call is made of: words of the command line, and files in memory that they name."""

from __future__ import annotations

import hashlib
import io
from typing import Any, Callable, Mapping, Union

Words = list[str]
Files = dict[str, bytes]
#: Called with (stage, steps done, all steps).
Progress = Callable[[str, int, int], object]


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
    if isinstance(value, (list, tuple)):
        return "x".join(word(item) for item in value)
    return str(value)


def options(given: Mapping[str, Any]) -> Words:
    """Keyword arguments as options; those that are none or false are left out."""
    words: Words = []
    for name, value in given.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif name in ("without", "watch"):
            words += [f"{option}={one}" for one in ([value] if isinstance(value, str) else value)]
        elif isinstance(value, Mapping):
            words.append(f"{option}=" + ",".join(f"{key}={word(one)}" for key, one in value.items()))
        elif isinstance(value, (list, tuple)):
            words.append(f"{option}=" + ",".join(str(one) for one in value))
        else:
            # In one word, so that a value may begin with a dash.
            words.append(f"{option}={value}")
    return words


def bar(progress: Union[bool, Progress, None]) -> Progress | None:
    """A callback; ``True`` is a bar of tqdm, where that is installed."""
    if progress is None or progress is False:
        return None
    if progress is not True:
        return progress
    from tqdm.auto import tqdm

    shown: dict[str, Any] = {}

    def tell(stage: str, done: int, steps: int) -> None:
        if shown.get("stage") != stage or done == 0:
            if "bar" in shown:
                shown["bar"].close()
            shown.update(stage=stage, bar=tqdm(total=steps or None, desc=stage))
        shown["bar"].n = done
        shown["bar"].refresh()

    return tell


class Job:
    """Who sends how much to whom: a pattern such as ``halo:grid=64x64``, or a matrix in memory."""

    def __init__(self, spec: str, *, files: Files | None = None) -> None:
        self.spec = spec
        self.files: Files = dict(files or {})

    @classmethod
    def from_matrix(cls, matrix: Any) -> "Job":
        """Bytes from row to column: a square NumPy array, nested lists, or any sparse matrix of SciPy."""
        if hasattr(matrix, "tocoo"):
            entries = matrix.tocoo()
            return cls._of_entries(entries.row, entries.col, entries.data, entries.shape[0], entries.shape)
        import numpy as np

        dense = np.ascontiguousarray(matrix, dtype=np.float64)
        if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
            from ._errors import InputError

            raise InputError(f"a matrix of shape {dense.shape}, expected a square: bytes from row to column")
        buffer = io.BytesIO()
        np.save(buffer, dense)
        return cls._in_file("matrix", buffer.getvalue(), ".npy")

    @classmethod
    def from_edges(
        cls, edges: Any, *, source: str = "source", target: str = "target", bytes: str = "bytes", tasks: int | None = None
    ) -> "Job":
        """Rows of a pandas frame, or anything with such columns: ranks that send, ranks that receive, and bytes."""
        import numpy as np

        from ._errors import InputError

        missing = [name for name in (source, target, bytes) if name not in edges]
        if missing:
            raise InputError(f"no column {', '.join(missing)}; name the columns with source=, target= and bytes=")
        senders, receivers = np.asarray(edges[source]), np.asarray(edges[target])
        for name, ranks in ((source, senders), (target, receivers)):
            if ranks.dtype.kind not in "iu" or (ranks.size and ranks.min() < 0):
                raise InputError(f"column {name} has what are no ranks, expected whole numbers from 0")
        most = int(max(senders.max(initial=-1), receivers.max(initial=-1))) + 1
        if tasks is not None and tasks < most:
            raise InputError(f"rank {most - 1}, but the job has {tasks} tasks")
        return cls._of_entries(senders, receivers, np.asarray(edges[bytes], dtype=np.float64), tasks or most, None)

    @classmethod
    def _of_entries(cls, rows: Any, columns: Any, amounts: Any, tasks: int, shape: Any) -> "Job":
        import numpy as np

        from ._errors import InputError

        if shape is not None and shape[0] != shape[1]:
            raise InputError(f"a matrix of shape {tuple(shape)}, expected a square: bytes from row to column")
        buffer = io.BytesIO()
        np.savez(
            buffer,
            row=np.asarray(rows, dtype=np.int64),
            col=np.asarray(columns, dtype=np.int64),
            data=np.asarray(amounts, dtype=np.float64),
            shape=np.array([tasks, tasks], dtype=np.int64),
            format=np.array("coo".encode()),
        )
        return cls._in_file("matrix", buffer.getvalue(), ".npz")

    @classmethod
    def _in_file(cls, kind: str, content: bytes, suffix: str) -> "Job":
        path, files = in_memory(kind, content, suffix)
        return cls(spec("matrix", {"file": path}), files=files)

    @classmethod
    def of(cls, job: Any) -> "Job":
        """A job, a pattern's spec, a matrix or a frame with columns source, target and bytes."""
        if isinstance(job, Job):
            return job
        if isinstance(job, str):
            return cls(job)
        if hasattr(job, "columns") and not hasattr(job, "tocoo"):
            return cls.from_edges(job)
        return cls.from_matrix(job)

    def __repr__(self) -> str:
        return f"Job({self.spec!r})"

"""Results: attributes by the keys of the JSON document, arrays, tables, pictures."""

from __future__ import annotations

import json
from typing import Any

from . import _hopline
from ._errors import Error, InputError
from ._fabric import write
from ._needs import needed
from ._own import readable
from ._table import Table

class Record:
    """An object of the document: ``r.best.throughput_gb_s`` or ``r["best"]["throughput_gb_s"]``."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name in values:
            return _wrapped(values[name])
        raise AttributeError(f"no `{name}`, there are {', '.join(values)}")

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self._values[name])

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def keys(self) -> list[str]:
        """Keys of the document."""
        return list(self._values)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers."""
        return self._values

    def __repr__(self) -> str:
        return f"Record({self._values!r})"


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [_wrapped(one) for one in value]
    return value


class Result(Record):
    """What a call came to: ``repr`` is what the command prints, attributes are the keys of its JSON document."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __reduce__(self) -> Any:
        return Result, (Kept.of(self._answer),)

    def __getattr__(self, name: str) -> Any:
        if name == "_values":
            self.__dict__["_values"] = json.loads(readable(self._answer.line()))
            return self.__dict__["_values"]
        if name.startswith("__"):
            raise AttributeError(name)
        self._values
        return super().__getattr__(name)

    def __repr__(self) -> str:
        return readable(self._answer.text()).rstrip("\n")

    def _repr_html_(self) -> str:
        return readable(self._answer.fragment())

    def to_json(self) -> str:
        """The document as the command prints it with ``--format json``, byte for byte."""
        return readable(self._answer.json())

    def to_csv(self) -> str:
        """The table as the command prints it with ``--format csv``."""
        return readable(self._answer.csv())

    def to_html(self, path: Any = None) -> str:
        """The page that ``--report`` writes; written where there is a path."""
        page = readable(self._answer.page())
        if path is not None:
            write(path, page)
        return page

    def export(self, form: str, path: Any = None) -> str:
        """The mapping for a launcher (``rankfile``, ``hostfile``, ...), or the loads as ``dot`` or ``graphml``."""
        text = self._answer.export(form)
        if path is not None:
            write(path, text)
        return text

    @property
    def link_loads(self) -> Any:
        """The load of every link under the mapping (of ``map``: the best), as a read-only NumPy array without a copy."""
        return self._array(self._answer.loads())

    @property
    def task_slots(self) -> Any:
        """The slot of every task under that mapping, as a NumPy array."""
        return self._array(self._answer.slots())

    @property
    def task_hosts(self) -> list[str] | None:
        """The host of every task under that mapping."""
        return self._answer.hosts()

    @property
    def link_names(self) -> list[str] | None:
        """Names of the links, in the order of ``link_loads``."""
        return self._answer.links()

    @staticmethod
    def _array(numbers: Any) -> Any:
        if numbers is None:
            return None
        np = needed("numpy")

        return np.asarray(numbers)

    def table(self, name: str | None = None) -> Table:
        """A list of the document as a table; without a name that of ``--format csv``."""
        values = self._values
        if name is None:
            return Table.of_csv(self.to_csv(), values)
        if not isinstance(values.get(name), list):
            lists = [key for key, value in values.items() if isinstance(value, list)]
            raise KeyError(f"no table `{name}`, there are {', '.join(lists) or 'none'}")
        return Table.of_rows(values[name])

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's stream of :meth:`table`."""
        return self.table().__arrow_c_stream__(requested_schema)

    def plot(self, ax: Any = None) -> Any:
        """With Matplotlib: loads of links in falling order, throughput by mapping, latency by load, or time by size or rank."""
        from ._plot import plot

        return plot(self, ax)


class Kept:
    """An answer without the machine behind it: what remains of one that was pickled."""

    _NAMES = ("line", "json", "csv", "text", "fragment", "loads", "slots", "links", "hosts")

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    @classmethod
    def of(cls, answer: Any) -> "Kept":
        """What can be told without it."""
        return answer if isinstance(answer, Kept) else cls({name: _kept(answer, name) for name in cls._NAMES})

    def __getattr__(self, name: str) -> Any:
        if name not in self._NAMES and name not in ("page", "export"):
            raise AttributeError(name)
        found = self._told.get(name, InputError("a result that was pickled has no more than its document: ask again"))

        def tell(*_: Any) -> Any:
            if isinstance(found, Error):
                raise found
            return found

        return tell


def _kept(answer: Any, name: str) -> Any:
    try:
        found = getattr(answer, name)()
    except Error as error:
        # A document without a table, for one.
        return error
    return Result._array(found).copy() if isinstance(found, _hopline.Array) else found

"""Tables that pandas, polars, pyarrow and DuckDB take as they are."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any, Iterator

from . import _hopline
from ._needs import needed

_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")


class Table:
    """Columns of one length: ``polars.DataFrame(table)``."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self.columns = columns

    @classmethod
    def of_rows(cls, rows: list[Any]) -> "Table":
        """Rows that are objects; what is an object in them has columns ``outer.inner``, and lists have none."""
        flat = [dict(_cells("", row) if isinstance(row, dict) else [("value", row)]) for row in rows]
        names = list(dict.fromkeys(name for row in flat for name in row))
        return cls({name: [row.get(name) for row in flat] for name in names})

    @classmethod
    def of_csv(cls, text: str, document: Any) -> "Table":
        """What a command prints as CSV; the document that it is made from tells words from numbers."""
        words, others = set[str](), set[str]()
        _kinds(document, "", words, others)
        head, *rows = csv.reader(io.StringIO(text, newline=""))
        columns = zip(*rows) if rows else [() for _ in head]
        # A second column of the same name has a number behind it.
        keys = [name.rpartition(".")[2].removesuffix("_2") for name in head]
        return cls({name: _typed(cells, key in words - others) for name, key, cells in zip(head, keys, columns)})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's stream of the table."""
        return _hopline.Table(list(self.columns.items())).__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __getitem__(self, name: str) -> list[Any]:
        return self.columns[name]

    def to_pandas(self) -> Any:
        """A frame of pandas."""
        pd = needed("pandas")

        return pd.DataFrame(self.columns)

    def __repr__(self) -> str:
        return f"Table of {len(self)} rows: {', '.join(self.columns)}"


def _cells(prefix: str, row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _cells(f"{prefix}{name}.", value)
        elif not isinstance(value, list):
            yield prefix + name, value


def _kinds(value: Any, key: str, words: set[str], others: set[str]) -> None:
    """The keys that hold words, and those that hold numbers or truths."""
    if isinstance(value, dict):
        for name, one in value.items():
            _kinds(one, name, words, others)
    elif isinstance(value, list):
        for one in value:
            _kinds(one, key, words, others)
    elif value is not None:
        (words if isinstance(value, str) else others).add(key)


def _typed(cells: Any, is_words: bool) -> list[Any]:
    """Cells of a column as what they stand for; an empty one is none."""
    full = [cell for cell in cells if cell]
    if is_words:
        return [cell or None for cell in cells]
    if all(cell in ("true", "false") for cell in full):
        return [cell == "true" if cell else None for cell in cells]
    if all(_NUMBER.fullmatch(cell) for cell in full):
        return [json.loads(cell) if cell else None for cell in cells]
    return [cell or None for cell in cells]

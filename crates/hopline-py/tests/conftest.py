"""Where things are."""

import csv
import os
import pathlib
import subprocess

import pyarrow as pa
import pytest

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    """Examples name their files from the root of the repository."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def command():
    """The command line as it was built beside the module: its standard output."""

    def run(*words):
        binary = os.environ["HOPLINE_COMMAND"]
        done = subprocess.run([binary, *words], cwd=ROOT, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise AssertionError(f"{words}: {done.stderr}")
        return done.stdout

    return run


def check_table(table, text):
    """The columns and rows of CSV, with types."""
    head, *rows = csv.reader(text.splitlines())
    assert list(table.columns) == head and len(table) == len(rows)
    for name, cells in zip(head, zip(*rows)):
        column = table[name]
        assert len({type(value) for value in column} - {type(None)} - {int, float}) <= 1, name
        for value, cell in zip(column, cells):
            assert cell == ("" if value is None else value if isinstance(value, str) else str(value).lower()) or float(cell) == value
    assert pa.table(table).to_pydict() == table.columns

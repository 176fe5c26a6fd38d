"""Where things are."""

import os
import pathlib
import subprocess

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

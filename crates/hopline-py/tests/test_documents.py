"""Pages, notebooks and stubs say what is so."""

import doctest
import os
import pathlib
import subprocess
import sys

import hopline
import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def test_the_guides_page_is_what_happens():
    done = doctest.testfile(str(ROOT / "docs/src/python.md"), module_relative=False)
    assert done.failed == 0 and done.attempted > 20
    assert doctest.testmod(hopline).failed == 0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebooks_run(path):
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    assert any("text/html" in out.get("data", {}) for cell in notebook.cells for out in cell.get("outputs", []))


def test_notebooks_are_four():
    assert [path.stem for path in NOTEBOOKS] == ["compare-machines", "own-strategy", "place-my-job", "sweep-with-curves"]


def test_what_is_generated_is_current():
    script = ROOT / "crates/hopline-py/python/generate.py"
    done = subprocess.run([sys.executable, script, os.environ["HOPLINE_COMMAND"], "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_licences_go_with_every_package():
    assert 'license-files = ["LICENSE-*"]' in (ROOT / "crates/hopline-py/pyproject.toml").read_text()
    for crate in (ROOT / "crates").iterdir():
        for name in ("LICENSE-APACHE", "LICENSE-MIT"):
            assert (crate / name).read_text() == (ROOT / name).read_text()


def test_stubs_are_those_of_the_module():
    place = pathlib.Path(hopline.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "hopline._hopline", "--ignore-disjoint-bases"],
        cwd=place, env={**os.environ, "MYPYPATH": str(place)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


USE = """
import hopline
result = hopline.map("torus:dims=4x4", "halo:grid=4x4", mapping=["default", lambda problem: problem.slots])
throughput: float | None = result.best.throughput_gb_s
names: list[str] = [candidate.mapping for candidate in result.candidates]
whole: dict[str, object] = result.candidates[0].to_dict()
wrong: int = result.best.mapping
"""


def test_the_package_is_typed(tmp_path):
    place = pathlib.Path(hopline.__file__).parent
    (tmp_path / "use.py").write_text(USE)
    words = [sys.executable, "-m", "mypy", "--ignore-missing-imports", str(place), str(tmp_path / "use.py")]
    done = subprocess.run(words, cwd=place.parent, capture_output=True, text=True)
    told = [line.partition("error: ")[2] or line for line in done.stdout.splitlines() if "error" in line]
    assert told[:1] == ['Incompatible types in assignment (expression has type "str", variable has type "int")  [assignment]'], done.stdout
    assert len(told) == 2 and told[1].startswith("Found 1 error"), done.stdout

"""A call and the command line print the same bytes."""

import os
import re

import hopline
import pytest
from conftest import ROOT, check_table

EXAMPLES = sorted(p.name for p in (ROOT / "examples").glob("*.toml"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example(command, name):
    path = f"examples/{name}"
    line = re.search(rf"^# *hopline (\w+) ({re.escape(path)}.*)$", (ROOT / path).read_text(), re.M)
    assert line, f"{path} says no command"
    verb = line[1]
    if verb == "sweep":
        # A sweep's points are calls in a loop in Python; what a point answers is tested below.
        pytest.skip("a sweep is no call")
    words = [w for w in line[2].split() if not re.match(r"--(export|report)", w) and not re.match(r"(rank|host)file=", w)]
    given = {}
    rest = words[1:]
    while rest:
        assert rest[0].startswith("--"), rest
        key = rest.pop(0)[2:]
        key, _, value = key.partition("=")
        given[key.replace("-", "_")] = value or (rest.pop(0) if rest and not rest[0].startswith("--") else True)
    result = getattr(hopline, verb)(scenario=path, **given)
    assert result.to_json() == command(verb, *words, "--format", "json")


SMALL = "dragonfly:p=2,a=4,h=2"
CASES = [
    (lambda: hopline.load(SMALL, "alltoall", hottest=3), f"load --topology {SMALL} --traffic alltoall --hottest 3"),
    (
        lambda: hopline.map("torus:dims=4x4x4", "halo:grid=8x8", objective="hop-bytes", evaluations=500, seed=7),
        "map --topology torus:dims=4x4x4 --traffic halo:grid=8x8 --objective hop-bytes --evaluations 500 --seed 7",
    ),
    (
        lambda: hopline.flits(SMALL, "uniform", load=[0.1, 0.5], warmup=200, cycles=500, router={"buffers": 16}),
        f"flits --topology {SMALL} --traffic uniform --load 0.1,0.5 --warmup 200 --cycles 500 --router buffers=16",
    ),
    (
        lambda: hopline.replay("torus:dims=4x4", "collective:pairwise:bytes=64K", model={"L": 500}, critical=2),
        "replay --topology torus:dims=4x4 --schedule collective:pairwise:bytes=64K --model L=500 --critical 2",
    ),
    (
        lambda: hopline.collective("broadcast", "tree:arity=4x4", size=["1K", "64K"], order="default,dft"),
        "collective broadcast --topology tree:arity=4x4 --size 1K,64K --order default,dft",
    ),
    (
        lambda: hopline.power("fat-tree:k=4,n=2", "halo:grid=4x4", connected=True),
        "power --topology fat-tree:k=4,n=2 --traffic halo:grid=4x4 --connected",
    ),
    (
        lambda: hopline.whatif(hopline.Fabric.from_dump("testdata/fabrics/rack64"), each="switch"),
        "fabric whatif --fabric testdata/fabrics/rack64 --each switch",
    ),
    (lambda: hopline.show(SMALL), f"fabric show --topology {SMALL}"),
    (
        lambda: hopline.whatif(hopline.Fabric.from_dump("testdata/fabrics/rack64", without="leaf01"), "alltoall"),
        "fabric whatif --fabric testdata/fabrics/rack64 --without leaf01 --traffic alltoall",
    ),
    (lambda: hopline.show(SMALL, hosts=True), f"fabric show --topology {SMALL} --hosts"),
    (lambda: hopline.show(SMALL, switches=True), f"fabric show --topology {SMALL} --switches"),
    (
        lambda: hopline.route("torus:dims=4x4", "t0-0", "t2-1", paths=4),
        "fabric route --topology torus:dims=4x4 --paths=4 t0-0 t2-1",
    ),
    (lambda: hopline.check(SMALL), f"fabric check --topology {SMALL}"),
]
if os.environ.get("HOPLINE_SLOW"):
    CASES.append((lambda: hopline.reproduce("dragonfly", quick=True), "reproduce dragonfly --quick"))


@pytest.mark.parametrize("case", CASES, ids=[line.split(" --")[0].replace(" ", "-") for _, line in CASES])
def test_every_call(command, case):
    call, line = case
    result = call()
    assert result.to_json() == command(*line.split(), "--format", "json")
    assert repr(result) == command(*line.split(), "--format", "text", "--wide").rstrip("\n")
    own = command(*line.split(), "--format", "csv")
    assert result.to_csv().replace("\r\n", "\n") == own.replace("\r\n", "\n")
    check_table(result.table(), own)


def test_words_that_look_like_numbers_stay_words():
    document = {"hosts": [{"name": "007", "load": 1.5, "at": {"to": "3"}}, {"name": "8", "load": None, "at": {"to": None}}]}
    table = hopline.Table.of_csv("name,load,at.to\r\n007,1.5,3\r\n8,,\r\n", document)
    assert table.columns == {"name": ["007", "8"], "load": [1.5, None], "at.to": ["3", None]}


def test_pages_are_the_same(command, tmp_path):
    words = f"load --topology {SMALL} --traffic alltoall --report {tmp_path}/own.html"
    command(*words.split())
    hopline.load(SMALL, "alltoall").to_html(tmp_path / "ours.html")
    assert (tmp_path / "ours.html").read_text() == (tmp_path / "own.html").read_text()


def test_launcher_files_are_the_same(command, tmp_path):
    fabric = "testdata/fabrics/rack64"
    words = f"map --fabric {fabric} --traffic halo:grid=8x8 --mapping greedy --export rankfile={tmp_path}/own"
    command(*words.split())
    result = hopline.map(hopline.Fabric.from_dump(fabric), "halo:grid=8x8", mapping="greedy")
    result.export("rankfile", tmp_path / "ours")
    assert (tmp_path / "ours").read_text() == (tmp_path / "own").read_text()

"""Every option of a command is a keyword of its function."""

import inspect
import re

import hopline
import pytest
from conftest import check_table

RACK = "testdata/fabrics/rack64"
SMALL = "dragonfly:p=2,a=4,h=2"

#: Methods of results and of fabrics, and what the process is started with.
ELSEWHERE = {"format", "wide", "report", "export", "help", "version", "max-input", "table", "threads", "with-inputs"}
#: Keywords of Fabric, which is the first argument.
MACHINE = {"fabric", "topology", "slots", "inside", "rails", "names", "without"}
#: Other words: arguments that are called by what they are.
RENAMED = {"traffic": "job"}
COMMANDS = {
    "load": "load",
    "map": "map",
    # What is written while it runs: the series is in the document, too.
    "flits": ("flits", {"series", "checkpoint", "checkpoint-every"}),
    # A replay sends its schedule; check_schedule has the other document.
    "replay": ("replay", {"traffic", "check"}),
    # A collective sends its own traffic.
    "collective": ("collective", {"traffic"}),
    "collective check": ("check_schedule", {"traffic"}),
    # Of a script that --export writes.
    "power": ("power", {"one-lane"}),
    "fabric whatif": "whatif",
    "fabric show": "show",
    "fabric route": "route",
    "fabric check": "check",
    "fabric diff": "diff",
    # A dump is a machine as any other.
    "compare": ("compare", {"fabric"}),
    # Files that are written beside the document.
    "reproduce": ("reproduce", {"out", "points"}),
}


@pytest.mark.parametrize("line", COMMANDS)
def test_options_are_keywords(command, line):
    name, without = COMMANDS[line] if isinstance(COMMANDS[line], tuple) else (COMMANDS[line], set())
    known = set(re.findall(r"^ {2,6}(?:-\w, )?--([a-z-]+)", command(*line.split(), "--help"), re.M))
    keywords = set(inspect.signature(getattr(hopline, name)).parameters)
    renamed = {"traffic": "jobs", "topology": "machines"} if name == "compare" else RENAMED
    expected = known - ELSEWHERE - without - (set() if name == "compare" else MACHINE)
    expected = {renamed.get(option, option.replace("-", "_")) for option in expected}
    assert expected <= keywords, expected - keywords
    arguments = {"fabric", "scenario", "progress", "name", "source", "target", "before", "after", "study", "without", "file"}
    assert keywords <= expected | arguments, keywords - expected - arguments
    # An exception that is none any more is taken out.
    assert without <= known


def test_options_of_machines_are_keywords_of_fabrics():
    assert MACHINE - {"fabric", "topology"} <= set(inspect.signature(hopline.Fabric).parameters)
    inside = hopline.Fabric("torus:dims=2x2", inside="dgx-h100", rails="stripe")
    assert inside.slots == 32 and hopline.Fabric.torus(dims=[2, 2], inside="dgx-h100").slots == 32


CASES = [
    (
        lambda: hopline.load(SMALL, "alltoall", hosts="first:8", pin={0: "g0r1n0"}, forbid=["g0r0n0", 1], capacity={"g0r1n1": 1}),
        f"load --topology {SMALL} --traffic alltoall --hosts first:8 --pin 0=g0r1n0 --forbid g0r0n0,1 --capacity g0r1n1=1",
    ),
    (
        lambda: hopline.whatif(hopline.Fabric.from_dump(RACK), "halo:grid=8x8", each="switch", list=3, pin={0: 1}, mapping="greedy"),
        f"fabric whatif --fabric {RACK} --traffic halo:grid=8x8 --each switch --list 3 --pin 0=1 --mapping greedy",
    ),
    (
        lambda: hopline.collective("allgather", "torus:dims=4x4", size="1M", bound=True, switches="copy"),
        "collective allgather --topology torus:dims=4x4 --size 1M --bound --switches copy",
    ),
    (
        lambda: hopline.check_schedule("testdata/schedules/allgather-hub.xml", "full-mesh:n=4", size="1MB"),
        "collective check testdata/schedules/allgather-hub.xml --topology full-mesh:n=4 --size 1MB",
    ),
    (
        lambda: hopline.collective("broadcast", "torus:dims=4x4", size="1M", mapping="random", seed=3),
        "collective broadcast --topology torus:dims=4x4 --size 1M --mapping random --seed 3",
    ),
    (
        lambda: hopline.flits(SMALL, "uniform", load=0.1, warmup=100, cycles=200, interval=50, forbid="g0r0n0", hosts="first:9"),
        f"flits --topology {SMALL} --traffic uniform --load 0.1 --warmup 100 --cycles 200 --interval 50 --forbid g0r0n0 --hosts first:9",
    ),
    (
        lambda: hopline.compare(["torus:dims=4x4", hopline.Fabric.from_dump(RACK)], ["alltoall"], prices={"port": 9}),
        f"compare --topology torus:dims=4x4 --topology file:path={RACK} --traffic alltoall --prices port=9",
    ),
    (
        lambda: hopline.compare(
            hopline.Fabric("torus:dims=4x4", slots=2), "halo:grid=4x4", routing=["dor", "minimal"], saturation=True, cycles=200
        ),
        "compare --topology torus:dims=4x4,slots=2 --traffic halo:grid=4x4 --routing dor,minimal --saturation --cycles 200",
    ),
    (
        lambda: hopline.diff(RACK, hopline.Fabric("tree:arity=4x4"), "alltoall", list=3),
        f"fabric diff file:path={RACK} tree:arity=4x4 --traffic alltoall --list 3",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[line.split(" --")[0].replace(" ", "-") for _, line in CASES])
def test_options_ask_for_the_same(command, case):
    call, line = case
    result = call()
    assert result.to_json() == command(*line.split(), "--format", "json")
    assert repr(result) == command(*line.split(), "--format", "text", "--wide").rstrip("\n")
    check_table(result.table(), command(*line.split(), "--format", "csv"))


def test_a_replay_writes_its_schedule(tmp_path):
    hopline.replay("torus:dims=4x4", "collective:pairwise:bytes=1K", write=tmp_path / "own.goal")
    assert hopline.load("torus:dims=4x4", tmp_path / "own.goal").tasks == 16


def test_machines_are_compared_as_they_are():
    rack = hopline.Fabric.from_dump(RACK)
    found = hopline.compare([rack, hopline.Fabric.from_dump(RACK, without="leaf01")], "alltoall")
    assert [machine.switches for machine in found.machines] == [10, 9]
    with pytest.raises(hopline.InputError, match="give routing= to the call"):
        hopline.compare([rack, hopline.Fabric("torus:dims=4x4", routing="minimal")])
    for call in (hopline.compare, hopline.diff):
        for own in ({("a", "b"): ["a", "b"]}, lambda source, target: [source, target]):
            with pytest.raises(hopline.InputError, match="expected one by its name"):
                call(*([RACK, RACK] if call is hopline.diff else [[RACK]]), routing=own)
    jobs = [[[0, 1], [1, 0]], hopline.Job.from_pairs({(0, 1): 2.0})]
    for job in jobs:
        assert len(hopline.compare("torus:dims=4x4", job).jobs) == 3
    assert len(hopline.compare("torus:dims=4x4", [jobs[1], "alltoall"]).jobs) == 4

"""Strategies and routings in Python."""

import hopline
import numpy as np
import pytest

TORUS = "torus:dims=4x4"
HALO = "halo:grid=4x4"


def test_own_strategies_stand_beside_the_others():
    seen = []

    def by_hosts(problem):
        """The slots in falling order."""
        seen.append(problem)
        return problem.slots[::-1][: problem.tasks]

    result = hopline.map("torus:dims=4x4", "halo:grid=4x4", mapping=["default", by_hosts, "greedy"])
    names = [c["mapping"] for c in result.to_dict()["candidates"]]
    assert names == ["default", "by_hosts", "greedy"]
    assert all(c["bound"] for c in result.to_dict()["candidates"])
    problem = seen[0]
    sources, targets, amounts = problem.pairs
    assert problem.tasks == 16 and len(sources) == len(targets) == len(amounts) == 64
    assert problem.distances.shape == (16, 16) and (np.diag(problem.distances) == 0).all()
    mine = result.candidates[1]
    assert problem.score(problem.slots[::-1]).hop_bytes == mine.hop_bytes
    assert (problem.loads(problem.slots) == hopline.load("torus:dims=4x4", "halo:grid=4x4").link_loads).all()
    # An array is a mapping, too.
    assert hopline.load("torus:dims=4x4", "halo:grid=4x4", mapping=np.arange(16)).hop_bytes == result.candidates[0].hop_bytes


def test_wrong_strategies_are_refused():
    def call(answer):
        return hopline.load("torus:dims=4x4", "halo:grid=4x4", mapping=lambda problem: answer)

    for answer in [[0] * 16, range(15), range(1, 17), [0.5] * 16, [True] * 16, [-1] * 16]:
        with pytest.raises(hopline.InputError):
            call(answer)
    with pytest.raises(ZeroDivisionError):
        hopline.load("torus:dims=4x4", "halo:grid=4x4", mapping=lambda problem: 1 // 0)


def test_a_dict_is_taken_by_its_values_in_the_order_of_tasks():
    import pandas as pd

    backwards = {task: 15 - task for task in range(16)}
    shuffled = {task: backwards[task] for task in sorted(backwards, key=lambda task: task * 7 % 16)}
    expected = list(range(15, -1, -1))
    for answer in [backwards, shuffled, pd.Series(shuffled), {np.int64(task): np.uint32(slot) for task, slot in backwards.items()}]:
        for mapping in [answer, lambda problem: answer]:
            assert hopline.load(TORUS, HALO, mapping=mapping).task_slots.tolist() == expected
    for wrong in [{1: 0}, {"a": 1}, {task + 1: task for task in range(16)}]:
        with pytest.raises(hopline.InputError, match="has no task 0 .*a dict from task to slot"):
            hopline.load(TORUS, HALO, mapping=lambda problem: wrong)


def test_what_is_no_mapping_is_told_what_was_expected():
    for answer in [None, "default", {3, 4}, 7, object(), [None] * 16, ["0"] * 16, np.zeros((4, 4)), np.full(16, np.nan)]:
        with pytest.raises(hopline.InputError, match="strategy `lambda` returned .*expected the slot of every task"):
            hopline.load(TORUS, HALO, mapping=lambda problem: answer)
    assert hopline.load(TORUS, HALO, mapping=[np.int64(slot) for slot in range(16)]).hop_bytes == 16 * 1.0


def test_own_things_are_shown_by_their_names():
    def greedy(problem):
        return problem.slots[: problem.tasks]

    class Reverse:
        def __call__(self, problem):
            return problem.slots[::-1]

    given = ["default", "greedy", greedy, lambda p: range(16), lambda p: range(16), Reverse(), list(range(16))]
    result = hopline.map(TORUS, HALO, mapping=given)
    names = ["default", "greedy", "greedy-2", "lambda", "lambda-2", "Reverse", "given"]
    assert sorted(c.mapping for c in result.candidates) == sorted(names)
    assert result.scenario.mapping == names
    for text in [repr(result), result.to_json(), result.to_csv(), result.to_html(), result._repr_html_()]:
        assert "greedy-2" in text and "lambda-2" in text and "@mapping" not in text and "file:path" not in text
    rows = [line for line in repr(result).splitlines() if line.split(" ")[0] in names]
    assert len(rows) == len(names) and len({row.index("GB/s") for row in rows}) == 1

    def short(problem):
        return [0, 1, 2]

    with pytest.raises(hopline.InputError, match="^short: 3 tasks are placed"):
        hopline.load(TORUS, HALO, mapping=short)


def test_own_routings_are_shown_by_their_names():
    ring = hopline.Fabric("torus:dims=3")

    def straight(source, target):
        return [source, target]

    with pytest.raises(hopline.InputError, match="a call takes a routing of one's own"):
        hopline.Fabric("torus:dims=3", routing=straight)

    def dor(source, target):
        return [source, target]

    result = hopline.map(ring, "alltoall", mapping="default", routing=[straight, lambda s, t: [s, t], "dor", dor])
    assert {c.routing for c in result.candidates} == {"straight", "lambda", "dor", "dor-2"}
    seen = []
    hopline.map(ring, "alltoall", mapping=lambda p: seen.append(p) or p.slots, routing=[straight, "dor"])
    assert max(seen[0].loads(range(3))) == max(hopline.load(ring, "alltoall", routing=straight).link_loads)
    assert "@routing" not in repr(result) + result.to_json() and "paths:" not in repr(result)


def test_a_strategy_sees_all_that_a_schedule_sends():
    seen = []

    def reverse(problem):
        seen.append(problem)
        return problem.slots[::-1]

    for call in (hopline.replay, hopline.power):
        result = call("fat-tree:k=4,n=2", schedule="collective:pairwise:bytes=1K", mapping=reverse)
        assert seen[-1].tasks == 16 and len(seen[-1].pairs[0]) == 240
    assert result.candidates[0].mapping == "reverse"
    assert hopline.replay(TORUS, "app:halo-steps:grid=4x4,bytes=1K,steps=2", mapping=reverse).mapping == "reverse"
    given = hopline.replay(TORUS, "collective:pairwise:bytes=1K", mapping=list(range(15, -1, -1)))
    with pytest.raises(hopline.InputError, match="give the schedule beside the scenario"):
        hopline.replay(TORUS, mapping=reverse)
    with pytest.raises(hopline.InputError, match="a strategy would see no traffic yet"):
        hopline.collective("broadcast", TORUS, size="1K", mapping=reverse)
    assert hopline.collective("broadcast", TORUS, size="1K", mapping=list(range(16))).mapping == "given"
    assert given.makespan_s == hopline.replay(TORUS, "collective:pairwise:bytes=1K", mapping=reverse).makespan_s


def test_an_own_routing_is_one_like_any_other():
    import networkx as nx

    ring = hopline.Fabric("torus:dims=5")
    graph = nx.Graph(ring.to_networkx())
    graph = nx.relabel_nodes(graph, nx.get_node_attributes(graph, "name"))

    def shortest(source, target):
        return nx.shortest_path(graph, source, target)

    own = hopline.map(ring, "alltoall", mapping=["default", "random"], routing=shortest)
    dor = hopline.map(ring, "alltoall", mapping=["default", "random"], routing="dor")
    loads = lambda result: [candidate.max_load for candidate in result.candidates]
    assert loads(own) == loads(dor)
    assert own.best.hop_bytes == dor.best.hop_bytes
    a, b, c = ring.vertices[:3]
    shares = {(a, c): [(0.25, [a, b, c]), (0.75, [a, *reversed(ring.vertices[3:5]), c])]}
    one = hopline.Job.from_edges({"source": [0], "target": [2], "bytes": [8.0]}, tasks=5)
    load = hopline.load(ring, one, routing=shares)
    assert max(link.load for link in load.hottest) == 6.0
    # Shares may be whole, and vertices NumPy's numbers.
    for path in (np.array([0, 1, 2]), [np.int64(0), "t1", 2]):
        for ways in (path, [path], [(1, path)], [(np.int64(1), path)]):
            assert max(link.load for link in hopline.load(ring, one, routing={(0, np.int64(2)): ways}).hottest) == 8.0
    for wrong in [5, {"t0": ["t0"]}, {(a, c): "t0"}, {(a, c): [[a, c], 3]}, {(a, c): 7}]:
        with pytest.raises(hopline.InputError, match="expected"):
            hopline.load(ring, one, routing=wrong)
    with pytest.raises(hopline.InputError, match="the file of paths has none"):
        hopline.load(ring, "alltoall", routing=shares)
    with pytest.raises(hopline.InputError, match="'nowhere' is no vertex of"):
        hopline.load(ring, one, routing={(a, c): [a, "nowhere", c]})
    with pytest.raises(hopline.InputError, match="expected both at its ends"):
        hopline.load(ring, one, routing={(a, c): [a, b]})

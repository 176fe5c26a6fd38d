"""Machines and jobs from what others have in memory."""

import hopline
import numpy as np
import pytest

RACK = "testdata/fabrics/rack64"


def same(a, b):
    """Equal but for the names of files."""
    return all(a[key] == b[key] for key in a.keys() if key in ("throughput_gb_s", "hop_bytes", "tasks", "remote"))


def test_matrices_frames_and_files_are_one_job():
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import scipy.sparse as sp

    class OnlyAStream:
        def __init__(self, frame):
            self.frame = pa.table(frame)

        def __arrow_c_stream__(self, requested_schema=None):
            return self.frame.__arrow_c_stream__(requested_schema)

    rng = np.random.default_rng(3)
    dense = rng.integers(0, 1000, (16, 16)).astype(float) * (rng.random((16, 16)) < 0.4)
    np.fill_diagonal(dense, 0)
    fabric = hopline.Fabric("torus:dims=4x4")
    loads = hopline.load(fabric, dense).link_loads
    rows, columns = dense.nonzero()
    frame = pd.DataFrame({"source": rows, "target": columns, "bytes": dense[rows, columns]})
    jobs = [
        dense.tolist(),
        sp.csr_matrix(dense),
        sp.coo_array(dense),
        frame,
        hopline.Job.from_edges(frame.rename(columns={"source": "a"}), source="a", tasks=16),
        hopline.Job.from_matrix(dense.astype(np.int32)),
        np.asfortranarray(dense),
        pd.DataFrame(dense),
        {(int(row), column): dense[row, column] for row, column in zip(rows, columns)},
        pa.table(frame),
        pl.DataFrame(frame),
        hopline.Table({name: frame[name].tolist() for name in frame}),
        OnlyAStream(frame),
        {"source": rows.tolist(), "target": columns, "bytes": dense[rows, columns]},
    ]
    for job in jobs:
        assert (hopline.load(fabric, job).link_loads == loads).all()
    assert loads.sum() > 0


def test_numbers_come_in_arrays_tuples_and_ranges():
    torus = "torus:dims=4x4"
    keys = dict(warmup=np.int64(100), cycles=200)
    expected = hopline.flits(torus, "uniform", load="0.1,0.2", **keys).to_json()
    for load in [np.array([0.1, 0.2]), np.array([0.1, 0.2], np.float32), (0.1, 0.2), [0.1, np.float64(0.2)]]:
        assert hopline.flits(torus, "uniform", load=load, **keys).to_json() == expected
    sizes = hopline.collective("broadcast", torus, size=range(1024, 4096, 1024), algorithm="binomial").sizes
    assert [size.bytes for size in sizes] == [1024, 2048, 3072]
    assert hopline.Fabric.torus(dims=np.array([4, 4])).spec == torus


def test_paths_are_pathlibs_too():
    import pathlib

    rack = hopline.Fabric.from_dump(pathlib.Path(RACK))
    assert hopline.Fabric(pathlib.Path(RACK)).hosts == rack.hosts
    job = pathlib.Path("testdata/schedules/ping-pong.goal")
    assert hopline.load(rack, job).to_json() == hopline.load(rack, str(job)).to_json()
    assert hopline.load(pathlib.Path(RACK), "alltoall").tasks == 64


def test_wrong_jobs_are_refused():
    for job in [np.ones((3, 4)), np.ones(4), [[0.0, -1.0], [0.0, 0.0]], [[0.0, np.nan], [0.0, 0.0]]]:
        with pytest.raises(hopline.InputError):
            hopline.load("torus:dims=4x4", job)
    import pandas as pd
    import scipy.sparse as sp

    for job, told in [
        ([[1, 2], [3]], "rows of different lengths"),
        ([["a", "b"], ["c", "d"]], "no amounts"),
        (np.ones((2, 2), complex), "no amounts"),
        (sp.coo_array(np.ones((2, 2), complex)), "no amounts"),
        (sp.coo_array(np.ones(4)), "shape .4,., expected a square"),
        (pd.DataFrame(), "expected a square"),
        (pd.DataFrame({"a": [1]}), "no column source, target, bytes, there is a; .*from_edges takes source="),
        (pd.DataFrame({"source": [], "target": [], "bytes": []}), "say with tasks="),
        ({"source": [0], "target": [1], "bytes": ["x"]}, "column bytes has what are no amounts"),
        ({"source": [0, 1], "target": [1], "bytes": [1]}, "columns of 2, 1 and 1 rows"),
        ({0: 1.0}, "the key 0, expected .*a dict from"),
        ({("a", "b"): 1.0}, "no ranks"),
        (5, "a job is 5, expected"),
    ]:
        with pytest.raises(hopline.InputError, match=told):
            hopline.load("torus:dims=4x4", job)
    with pytest.raises(hopline.InputError, match="a fabric is 5, expected"):
        hopline.load(5, "alltoall")
    with pytest.raises(hopline.InputError, match="no column target"):
        hopline.Job.from_edges({"source": [1], "bytes": [3]})
    with pytest.raises(hopline.InputError, match="no ranks"):
        hopline.Job.from_edges({"source": [-1], "target": [1], "bytes": [3]})


def test_networkx_there_and_back():
    fabric = hopline.Fabric.from_dump(RACK)
    graph = fabric.to_networkx()
    assert graph.number_of_nodes() == fabric.endpoints + fabric.switches
    again = hopline.Fabric.from_networkx(graph)
    assert (again.endpoints, again.switches, again.hosts) == (fabric.endpoints, fabric.switches, fabric.hosts)
    ways = [hopline.load(f, "alltoall", routing="shortest") for f in (fabric, again)]
    assert ways[0].throughput_gb_s == pytest.approx(ways[1].throughput_gb_s)


def test_any_graph_is_a_fabric():
    import networkx as nx

    fabric = hopline.Fabric.from_networkx(nx.petersen_graph())
    assert len(fabric.hosts) == 10 and fabric.notes
    assert hopline.load(fabric, "alltoall").throughput_gb_s > 0


def test_attributes_that_no_file_holds_are_refused():
    import networkx as nx

    for value in ([1, 2], {"a": 1}, None, 1j):
        graph = nx.petersen_graph()
        graph.nodes[3]["seats"] = value
        with pytest.raises(hopline.InputError, match="neither a number nor a word.*leave it out"):
            hopline.Fabric.from_networkx(graph)
    with pytest.raises(hopline.InputError, match="expected one of NetworkX"):
        hopline.Fabric.from_networkx({0: [1]})


def test_fabrics_know_their_parts():
    fabric = hopline.Fabric("dragonfly:p=2,a=4,h=2", slots=2)
    assert (fabric.endpoints, len(fabric.hosts), fabric.slots) == (72, 72, 144)
    links = fabric.links
    assert len(links) == len(links["class"]) and set(links["source"]) == set(fabric.vertices)
    assert "hosts" in repr(fabric) and '"' in fabric.export("json")
    assert hopline.Fabric.dragonfly(p=2, a=4, h=2).spec == "dragonfly:p=2,a=4,h=2"
    assert hopline.Fabric.torus(dims=[4, 4], slots=3).slots == 48

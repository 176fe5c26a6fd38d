#!/usr/bin/env python3
"""J (hop-bytes, each edge once) of Mt-KaHyPar's mapping of a graph onto a torus, beside `hopline map`.

    pip install mtkahypar
    python3 mt_kahypar.py GRAPH.graph[.xz] 4x4x4 [SEED]
    hopline map --topology torus:dims=4x4x4,slots=64 --traffic matrix:file=GRAPH.graph.xz \\
        --objective hop-bytes --mapping multilevel --threads 1 --seed SEED     # its hop-bytes are twice J

One thread, preset `default`, no imbalance. Machines have at most 64 routers: it computes Steiner trees of all sets of them.
"""
import itertools
import lzma
import sys
import time

import mtkahypar


def read_metis(path):
    """Number of vertices, edges and their weights."""
    with (lzma.open if path.endswith(".xz") else open)(path, "rt") as file:
        lines = [line.split() for line in file if not line.startswith("%")]
    vertices, weighted = int(lines[0][0]), len(lines[0]) > 2 and lines[0][2].endswith("1")
    edges, weights = [], []
    for u, words in enumerate(lines[1 : vertices + 1]):
        numbers = [int(word) for word in words]
        pairs = zip(numbers[::2], numbers[1::2]) if weighted else ((v, 1) for v in numbers)
        for v, weight in pairs:
            if v - 1 > u:
                edges.append((u, v - 1))
                weights.append(weight)
    return vertices, edges, weights


def torus(dims):
    """Places of the routers and the cables between them."""
    places = list(itertools.product(*map(range, dims)))
    number = {place: i for i, place in enumerate(places)}
    cables = set()
    for place in places:
        for d, extent in enumerate(dims):
            next_place = place[:d] + ((place[d] + 1) % extent,) + place[d + 1 :]
            a, b = sorted((number[place], number[next_place]))
            if a != b:
                cables.add((a, b))
    return places, sorted(cables)


path, dims = sys.argv[1], tuple(int(extent) for extent in sys.argv[2].split("x"))
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
vertices, edges, weights = read_metis(path)
places, cables = torus(dims)
library = mtkahypar.initialize(1)
mtkahypar.set_seed(seed)
context = library.context_from_preset(mtkahypar.PresetType.DEFAULT)
context.set_partitioning_parameters(len(places), 0.0, mtkahypar.Objective.KM1)
graph = library.create_graph(context, vertices, len(edges), edges, [1] * vertices, weights)
target = library.create_target_graph(context, len(places), len(cables), cables, [1] * len(cables))
start = time.process_time()
found = graph.map_onto_graph(target, context)
took = time.process_time() - start


def hops(a, b):
    return sum(min(abs(x - y), d - abs(x - y)) for x, y, d in zip(places[a], places[b], dims))


j = sum(weight * hops(found.block_id(u), found.block_id(v)) for (u, v), weight in zip(edges, weights))
fullest = max(found.block_weight(i) for i in range(len(places))) * len(places) / vertices
print(f"J {j}, fullest router {fullest:.3f} of its share, {took:.2f} CPU s")

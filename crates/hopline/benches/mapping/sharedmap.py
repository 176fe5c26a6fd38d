#!/usr/bin/env python3
"""J (amount x distance, each edge once) of SharedMap's mapping of a graph onto a tree, beside `hopline map`.

    python3 sharedmap.py SharedMap GRAPH.graph[.xz] 16x16x16 1x10x100 [fast|eco|strong] [SEED]
    hopline map --topology tree:arity=16x16x16,distance=1x10x100 --traffic matrix:file=GRAPH.graph.xz \\
        --objective hop-bytes --mapping multilevel --threads 1 --seed SEED     # its hop-bytes are twice J

One thread, no imbalance; several tasks to a place where the graph has more of them (ours: `--slots`). The first argument is the
program, built from github.com/HenningWoydt/SharedMap, KaHIP 3.19 and Mt-KaHyPar 1.5.3, of which one thread uses KaHIP alone.
"""
import lzma
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from math import prod


def read_metis(path):
    """Number of vertices, edges with their weights and the text."""
    with (lzma.open if path.endswith(".xz") else open)(path, "rt") as file:
        text = file.read()
    lines = [line.split() for line in text.splitlines() if not line.startswith("%")]
    vertices, weighted = int(lines[0][0]), len(lines[0]) > 2 and lines[0][2].endswith("1")
    edges = []
    for u, words in enumerate(lines[1 : vertices + 1]):
        numbers = [int(word) for word in words]
        pairs = zip(numbers[::2], numbers[1::2]) if weighted else ((v, 1) for v in numbers)
        edges += [(u, v - 1, weight) for v, weight in pairs if v - 1 > u]
    # SharedMap looks for the last of three digits
    lines[0][2:] = ["001"] if weighted else []
    text = "".join(" ".join(words) + "\n" for words in lines[: vertices + 1])
    return vertices, edges, text


program, path = sys.argv[1:3]
arity, distance = ([int(word) for word in words.split("x")] for words in sys.argv[3:5])
config = sys.argv[5] if len(sys.argv) > 5 else "fast"
seed = sys.argv[6] if len(sys.argv) > 6 else "1"
vertices, edges, text = read_metis(path)
with tempfile.TemporaryDirectory() as folder:
    with open(f"{folder}/graph", "w") as file:
        file.write(text)
    levels = ["-h", ":".join(map(str, arity)), "-d", ":".join(map(str, distance))]
    run = [program, "-g", f"{folder}/graph", "-m", f"{folder}/places", *levels, "-e", "0", "-c", config, "-t", "1"]
    said = subprocess.run([*run, "-s", "nb_layer", "--seed", seed], check=True, capture_output=True, text=True).stdout
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with open(f"{folder}/places") as file:
        places = [int(word) for word in file.read().split()]


def apart(a, b):
    """Distance of the innermost level that joins two places."""
    for size, far in zip(arity, distance):
        if a == b:
            break
        a, b, joined = a // size, b // size, far
        if a == b:
            return joined
    return 0


assert len(places) == vertices
j = sum(weight * apart(places[u], places[v]) for u, v, weight in edges)
theirs = next(int(line.split(":")[1]) for line in said.splitlines() if line.startswith("Final QAP"))
assert theirs == 2 * j, f"it counts {theirs}"
fullest = max(Counter(places).values()) * prod(arity) / vertices
print(f"J {j}, fullest place {fullest:.3f} of its share, {took:.2f} CPU s")

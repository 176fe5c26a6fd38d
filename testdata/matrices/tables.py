#!/usr/bin/env python3
"""Writes one small matrix in the forms that NumPy, SciPy and pandas have: tables.py OUTDIR.

Made with NumPy 2.4, SciPy 1.17 and pandas 3.1. Task 0 sends 1.5 to 1 and 4 to 3, task 1 sends 2 to 0, task 3 sends 7 to 2."""
import sys

import numpy
import pandas
import scipy.sparse

out = sys.argv[1]
matrix = numpy.zeros((4, 4))
matrix[0, 1], matrix[0, 3], matrix[1, 0], matrix[3, 2] = 1.5, 4, 2, 7
numpy.savez(f"{out}/dense.npz", matrix)
numpy.savez_compressed(f"{out}/dense-packed.npz", traffic=numpy.asfortranarray(matrix))
for form in ["csr", "csc", "coo", "bsr", "dia"]:
    sparse = scipy.sparse.csr_matrix(matrix).asformat(form, **({"blocksize": (2, 2)} if form == "bsr" else {}))
    scipy.sparse.save_npz(f"{out}/{form}.npz", sparse)
scipy.sparse.save_npz(f"{out}/csr-stored.npz", scipy.sparse.csr_array(matrix), compressed=False)
frame = pandas.DataFrame(matrix)
frame.to_csv(f"{out}/frame.csv")
frame.to_csv(f"{out}/frame-no-index.csv", index=False)
frame.set_axis([f"n{i}" for i in range(4)]).set_axis([f"n{i}" for i in range(4)], axis=1).to_csv(f"{out}/frame-names.tsv", sep="\t")
edges = pandas.DataFrame([(a, b, matrix[a, b]) for a, b in zip(*numpy.nonzero(matrix))], columns=["source", "target", "bytes"])
edges.to_csv(f"{out}/edges.csv")
edges.pivot(index="source", columns="target", values="bytes").to_csv(f"{out}/pivot.csv")

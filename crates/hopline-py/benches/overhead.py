"""What Python adds to a call: 65,536 tasks that transpose a matrix on the largest PERCS machine.

    cargo build --release -p hopline-py && cargo bench -p hopline-cli --bench call --no-run
    python3 crates/hopline-py/benches/overhead.py target/release

Runs the bench of the same call in Rust and Python's own in turns, and prints the medians and their ratio.
"""

from __future__ import annotations

import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
TIMES = 15


def newest_bench(release: pathlib.Path) -> pathlib.Path:
    built = [p for p in (release / "deps").glob("call-*") if not p.suffix]
    if not built:
        sys.exit("no bench: cargo bench -p hopline-cli --bench call --no-run")
    return max(built, key=lambda p: p.stat().st_mtime)


def module(release: pathlib.Path, at: str) -> None:
    """The package with the module that cargo built, first on the path."""
    package = pathlib.Path(at) / "hopline"
    shutil.copytree(pathlib.Path(__file__).parents[1] / "python" / "hopline", package)
    shutil.copy(release / "lib_hopline.so", package / "_hopline.abi3.so")
    sys.path.insert(0, at)


def called() -> float:
    import hopline

    took = []
    for _ in range(TIMES):
        start = time.perf_counter()
        found = hopline.load("percs:ns=512,nd=1", "transpose:grid=256x256", routing="direct")
        assert found.throughput_gb_s
        took.append(time.perf_counter() - start)
    return statistics.median(took)


def main() -> None:
    release = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release").resolve()
    bench = newest_bench(release)
    with tempfile.TemporaryDirectory() as at:
        module(release, at)
        rust, python = [], []
        for _ in range(ROUNDS):
            rust.append(float(subprocess.check_output([bench, "--bench"], text=True).split()[0]))
            python.append(called())
    a, b = statistics.median(rust), statistics.median(python)
    print(f"Rust {a:.4f} s, Python {b:.4f} s: {100 * (b / a - 1):+.1f} % (medians of {ROUNDS} rounds of {TIMES} calls)")


if __name__ == "__main__":
    main()

#!/usr/bin/env bash
# Records who sends how much to whom in a Lennard-Jones melt of LAMMPS on 64 MPI
# ranks, with Open MPI's own monitoring layer, and writes it as CSV:
#
#   p,src,dst,messages,bytes     user point-to-point traffic, world ranks
#
#   usage: record.sh OUT.csv
#   needs: lammps openmpi-bin  (Debian 12: 29 Sep 2021 - Update 2; 4.1.4)
#
# A few seconds on two cores: the matrix does not depend on how fast the ranks run.
set -euo pipefail
export LC_ALL=C OMP_NUM_THREADS=1

[ $# -eq 1 ] || { echo "usage: $0 OUT.csv" >&2; exit 2; }
for tool in mpirun.openmpi lmp; do
    command -v "$tool" >/dev/null || { echo "$0: $tool not found" >&2; exit 1; }
done
ranks=64
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# 32,000 atoms, 500 a rank.
input=$(cd "$(dirname "$0")" && pwd)/../programs/in.melt

# Monitoring writes one run.RANK.prof each, and does not create the folder.
# enable 2 keeps the program's own messages (E) apart from those that collectives
# are made of (I). Yielding lets 64 ranks share a few cores.
mkdir "$tmp/prof"
mpirun.openmpi --allow-run-as-root --oversubscribe -n "$ranks" \
    --mca btl self,vader --mca mpi_yield_when_idle 1 \
    --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 \
    --mca pml_monitoring_filename "$tmp/prof/run" \
    lmp -in "$input" -var steps 40 -log none >"$tmp/out" 2>&1 </dev/null ||
    { cat "$tmp/out" >&2; exit 1; }
grep -q '^Loop time of .* on 64 procs for 40 steps with 32000 atoms' "$tmp/out" ||
    { echo "$0: the run is not the one expected" >&2; cat "$tmp/out" >&2; exit 1; }
[ "$(find "$tmp/prof" -name 'run.*.prof' | wc -l)" -eq "$ranks" ] ||
    { echo "$0: not every rank wrote a profile" >&2; exit 1; }

{
    echo "# LAMMPS Lennard-Jones melt, 32000 atoms, 40 steps, processors 4 4 4: $ranks MPI ranks"
    echo "# LAMMPS $(lmp -h | sed -n 's/^Large-scale .* Simulator - //p')," \
        "$(mpirun.openmpi --version | sed -n 's/^mpirun.* (OpenRTE) /Open MPI /p')," \
        "recorded with its pml_monitoring: external (E) messages only"
    echo "# p,src,dst,messages,bytes"
    # "E <src> <dst> <n> bytes <n> msgs sent <size histogram>", tab separated
    cat "$tmp"/prof/run.*.prof |
        awk -F'\t' '$1 == "E" { split($4, b, " "); split($5, m, " ")
                                if (m[1] > 0) print "p," $2 "," $3 "," m[1] "," b[1] }' |
        sort -t, -k2,2n -k3,3n
} >"$tmp/csv"
mv "$tmp/csv" "$1"
echo "$1: $(awk -F, '/^p/ { n++; m += $4; b += $5 }
    END { printf "%d pairs, %d messages, %d bytes", n, m, b }' "$1")"

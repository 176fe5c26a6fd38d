#!/usr/bin/env bash
# Records three programs with the MPI layer and writes who sends how much to whom:
#
#   p,src,dst,messages,bytes     point to point      a,src,dst,calls,bytes     all-to-all calls
#
#   usage: record.sh OUTDIR      after: cargo build --release -p hopline-cli -p hopline-mpi
#   needs: xz-utils openmpi-bin libopenmpi-dev gcc lammps  (Debian 12: 4.1.4, 29 Sep 2021 - Update 2)
#
# HOPLINE names the program and HOPLINE_MPI_LIBRARY the layer where they are not in target/release.
set -euo pipefail
export LC_ALL=C OMP_NUM_THREADS=1

[ $# -eq 1 ] || { echo "usage: $0 OUTDIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
hopline=${HOPLINE:-$here/../../target/release/hopline}
mkdir -p "$1"
out=$(cd "$1" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

mpicc.openmpi -O1 -o kernels "$here/kernels.c"

# 32,000 atoms on a 4 x 4 x 4 grid of ranks, at equal steps the same messages.
cat >in.melt <<'MELT'
units           lj
atom_style      atomic
processors      4 4 4
lattice         fcc 0.8442
region          box block 0 20 0 20 0 20
create_box      1 box
create_atoms    1 box
mass            1 1.0
velocity        all create 3.0 87287 loop geom
pair_style      lj/cut 2.5
pair_coeff      1 1 1.0 1.0 2.5
neighbor        0.3 bin
neigh_modify    every 20 delay 0 check no
fix             1 all nve
thermo          10
run             20
MELT

record() { # NAME RANKS WORDS...
    local name=$1 ranks=$2
    shift 2
    "$hopline" record run --out "$tmp/$name" -- mpirun.openmpi --allow-run-as-root --oversubscribe -n "$ranks" \
        --mca btl self,vader --mca mpi_yield_when_idle 1 "$@" >"$tmp/$name.log" 2>&1 </dev/null ||
        { tail -5 "$tmp/$name.log" >&2; exit 1; }
    "$hopline" record merge "$tmp/$name" -o "$tmp/$name.csv" >/dev/null
    # Lines that matrices are read from; collectives and timings stay out.
    grep -E '^[par],' "$tmp/$name.csv" | xz -9e >"$out/$name.csv.xz"
    echo "$out/$name.csv.xz: $(stat -c %s "$out/$name.csv.xz") bytes"
}

record cg-64 64 ./kernels cg 4
record ft-64 64 ./kernels ft 2
record lammps-melt-64 64 lmp -in in.melt -log none

#!/usr/bin/env bash
# Records programs with the MPI layer: two kernels of ours, and programs of Debian 12 as they are. Writes for each
#
#   NAME-RANKS.csv.xz    who sends how much to whom
#                        p,src,dst,messages,bytes     point to point      a,src,dst,0,bytes     all-to-all calls
#   NAME-RANKS.goal.xz   the same as a schedule, with what is computed between (by processes that share this machine)
#
# and prints the row of each in the guide's table.
#
#   usage: record.sh OUTDIR [NAME...]     after: cargo build --release -p hopline-cli -p hopline-mpi
#   needs: xz-utils openmpi-bin libopenmpi-dev gcc lammps hpcc scalapack-mpi-test ptscotch scotch ray abyss
#          netpipe-openmpi python3-mpi4py  (Debian 12; only those of the programs named)
#
# HOPLINE names the program and HOPLINE_MPI_LIBRARY the layer where they are not in target/release.
set -euo pipefail
export LC_ALL=C OMP_NUM_THREADS=1

[ $# -ge 1 ] || { echo "usage: $0 OUTDIR [NAME...]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
hopline=${HOPLINE:-$here/../../target/release/hopline}
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

record() { # NAME RANKS TITLE WORDS...
    local name=$1-$2 ranks=$2 title=$3
    shift 3
    "$hopline" record run --out "$name" -- mpirun.openmpi --allow-run-as-root --oversubscribe -n "$ranks" \
        --mca btl self,vader --mca mpi_yield_when_idle 1 "$@" >"$name.log" 2>&1 </dev/null ||
        { tail -5 "$name.log" >&2; exit 1; }
    "$hopline" record merge "$name" -o "$name.csv" --format json >"$name.json" 2>"$name.err" ||
        { cat "$name.err" >&2; exit 1; }
    # Lines that matrices are read from; collectives and timings stay out.
    grep -E '^[par],' "$name.csv" | xz -9e >"$out/$name.csv.xz"
    # Times in whole microseconds: more of them would be noise that does not pack. Where threads of a rank call
    # MPI side by side there is no schedule.
    if "$hopline" record merge "$name" --as goal -o "$name.goal" >/dev/null 2>"$name.err"; then
        awk '$2 == "calc" { $3 = int($3 / 1000 + 0.5) * 1000 } 1' "$name.goal" | xz -9 >"$out/$name.goal.xz"
    else
        cat "$name.err" >&2
    fi
    row "$title" "$name" "$ranks"
}

row() { # TITLE NAME RANKS
    local stream told=$2.json
    value() { sed -n "s/^  \"$1\": \([0-9]*\).*/\1/p" "$told"; }
    bytes() { numfmt --to=si --format=%.1f --suffix=B "$1"; }
    stream=$(cat "$2"/rank-*.hop | wc -c)
    echo "| $1 | $3 | $(value calls) | $(value pairs) of $(($3 * ($3 - 1))) | $(value messages)" \
        "| $(bytes "$(value bytes)") | $(bytes "$(value all_to_all_bytes)") | $(bytes "$stream") |"
}

# Messages of NAS CG and FT.
cg() { kernels && record cg 64 "messages of NAS CG, 4 steps" ./kernels cg 4; }
ft() { kernels && record ft 64 "messages of NAS FT, 2 steps" ./kernels ft 2; }
kernels() { mpicc.openmpi -O1 -o kernels "$here/kernels.c"; }

# 32,000 atoms, a grid of 4 x 4 x 4 ranks.
lammps-melt() { record lammps-melt 64 "LAMMPS, Lennard-Jones melt of 32,000 atoms, 20 steps" lmp -in "$here/in.melt" -log none; }

# 2,048 atoms on 8 ranks.
lammps-small() { record lammps-small 8 "LAMMPS, the same of 2,048 atoms" lmp -in "$here/in.melt" -var size 8 -log none; }

# The HPC Challenge: HPL, PTRANS, RandomAccess, FFT and b_eff of a matrix of 480 rows on a grid of 4 x 4 ranks.
hpcc() {
    sed -e 's/^1000 /480 /' -e '0,/^80 /s//40 /' -e '/Ps$/s/^[0-9]*/4/' -e '/Qs$/s/^[0-9]*/4/' \
        /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
    record hpcc 16 "hpcc, N = 480, all of its tests" hpcc
    grep -q '^Success=1' hpccoutf.txt
}

# ScaLAPACK's test of LU factorisation: 160 rows in blocks of 20 on a grid of 4 x 4 ranks, one right-hand side.
lu() {
    printf '%s\n' "'LU factorization'" "'MPI'" "'LU.out'" 6 1 160 160 1 20 1 1 1 1 1 4 4 1.0 F >LU.dat
    record lu 16 "ScaLAPACK, test of LU factorisation (xdlu)" /usr/lib/x86_64-linux-gnu/scalapack/openmpi-tests/xdlu
    grep -q ' 1 tests completed and passed' lu-16.log
}

# PT-Scotch orders a cube of 20 x 20 x 20 for elimination.
dgord() { gmk_m3 20 20 20 cube.grf && record dgord 16 "PT-Scotch, dgord of a cube of 8,000" dgord cube.grf order; }

# ABySS assembles a genome, from 500 pairs of the reads that Debian's Ray comes with.
abyss() {
    for end in 1 2; do zcat "/usr/share/doc/ray/test_data/ecoli_1K_$end.fq.gz" | sed -n 1,2000p >reads_$end.fastq; done
    record abyss 8 "ABySS, assembly of 1,000 reads" /usr/lib/abyss/ABYSS-P -k 21 -o contigs.fa reads_1.fastq reads_2.fastq
}

# mpi4py's own benchmark: a ring, 100 loops of 10 KB.
mpi4py() { record mpi4py 8 "Python, mpi4py.bench ringtest" /usr/bin/python3 -m mpi4py.bench ringtest -n 10000 -l 100; }

netpipe() { record netpipe 2 "NetPIPE, up to 4 KiB" NPopenmpi -u 4096 -o netpipe.out; }

all=(cg ft lammps-melt lammps-small hpcc lu dgord abyss mpi4py netpipe)
echo '| program | ranks | calls | pairs | messages | bytes | all-to-all | recording |'
echo '|---|---|---|---|---|---|---|---|'
for program in "${@:-${all[@]}}"; do "$program"; done

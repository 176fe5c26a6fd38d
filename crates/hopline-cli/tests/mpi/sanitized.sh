#!/usr/bin/env bash
# The layer before the programs of this folder under AddressSanitizer and ThreadSanitizer, with Open MPI and MPICH, four ranks each:
# every call recorded, and collectives by the layer's own ways. Nothing is kept from the sanitizers but leaks, since MPI libraries
# leave what they took to the end of the process; that errors are seen is tried first. A nightly compiler with rust-src builds
# the layer; `./check --full` runs it.
#
# usage: sanitized.sh [address|thread...]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
machine=$(rustc +nightly -vV | sed -n 's/^host: //p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS=suppressions=$work/suppressed

# Stacks that go through an MPI library: it is not built with the sanitizer, which does not see how its threads meet.
for library in libmpi.so libopen-pal libopen-rte libpmix libevent mca_ libmpich.so libucp libuct libucs libfabric; do
    printf '%s\n' "race:$library" "deadlock:$library" "mutex:$library" "signal:$library" "thread:$library"
done > "$work/suppressed"

# What clang's instrumentation calls and GCC's runtime lacks: the same functions, which the runtime watches.
cat > "$work/calls.c" <<'END'
#include <string.h>
void *__tsan_memcpy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
void *__tsan_memmove(void *to, const void *from, size_t n) { return memmove(to, from, n); }
void *__tsan_memset(void *to, int byte, size_t n) { return memset(to, byte, n); }
END
cc -shared -fPIC -O1 -fno-builtin "$work/calls.c" -o "$work/calls.so"

# Errors that must be found: a byte beyond an array, and two threads at one number.
cat > "$work/wrong.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
static int shared;
static void *add(void *none) { shared++; return none; }
int main(int argc, char **argv) {
    pthread_t other;
    char *bytes = malloc(argc);
    if (pthread_create(&other, 0, add, 0)) return 1;
    shared++;
    pthread_join(other, 0);
    volatile char beyond = bytes[argc];
    return 0;
}
END

# A rank with its libraries before it, every second one on another node.
cat > "$work/rank.sh" <<'END'
#!/bin/sh
export HOPLINE_HOST=node$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} % 2))
LD_PRELOAD=$BEFORE exec "$@"
END

ranks() {
    case $1 in
        openmpi) echo mpirun.openmpi --oversubscribe --mca btl self,vader --mca mpi_yield_when_idle 1 -n 4 ;;
        mpich) echo mpirun.mpich -n 4 ;;
    esac
}

runs=0
for sanitizer in "${@:-address thread}"; do for sanitizer in $sanitizer; do
    RUSTFLAGS="-Zsanitizer=$sanitizer" CARGO_TARGET_DIR=$target/sanitized/$sanitizer \
        cargo +nightly build --quiet -Zbuild-std --target "$machine" --manifest-path "$root/Cargo.toml" -p hopline-mpi
    layer=$target/sanitized/$sanitizer/$machine/debug/libhopline_mpi.so
    short=${sanitizer:0:1}san
    runtime=$(readlink -f "$(cc -print-file-name=lib$short.so)")
    cc -g -O0 -w -fsanitize="$sanitizer" "$work/wrong.c" -o "$work/wrong" -pthread
    if "$work/wrong" > "$work/said" 2>&1 || ! grep -q Sanitizer "$work/said"; then
        echo "$sanitizer: an error that was made on purpose is not found" >&2
        exit 1
    fi
    for library in openmpi mpich; do
        for program in many collectives nonblocking communicators threads; do
            "mpicc.$library" -g -O1 -w -fsanitize="$sanitizer" "$here/$program.c" -o "$work/$program" -pthread
            words=; [ "$program" = collectives ] && words=few; [ "$program" = communicators ] && words=8
            # Without the layer first: what a library does by itself is not the layer's.
            code=0; alone=0
            $(ranks "$library") env BEFORE="$runtime" sh "$work/rank.sh" "$work/$program" $words > "$work/alone" 2>&1 || alone=$?
            if ! grep -q 'wrong: 0' "$work/alone"; then
                echo "$sanitizer, $library, $program: left out, ends with $alone without the layer"
                continue
            fi
            $(ranks "$library") env HOPLINE_RECORD="$work/recording" HOPLINE_COLLECTIVES=all HOPLINE_FORCE=1 HOPLINE_MIN_BYTES=1 \
                HOPLINE_DELAYS_FILE=none HOPLINE_VERBOSE=1 BEFORE="$runtime $work/calls.so $layer" sh "$work/rank.sh" "$work/$program" $words \
                > "$work/said" 2>&1 || code=$?
            reports=$(grep -c 'ERROR: AddressSanitizer\|WARNING: ThreadSanitizer' "$work/said" || true)
            before=$(grep -c 'ERROR: AddressSanitizer\|WARNING: ThreadSanitizer' "$work/alone" || true)
            if [ "$code" -ne "$alone" ] || [ "$reports" -gt "$before" ] || ! grep -q 'wrong: 0' "$work/said"; then
                cat "$work/said"
                echo "$sanitizer, $library, $program: $reports reports ($before without the layer), exit $code ($alone)" >&2
                exit 1
            fi
            if [ "$program" = collectives ] && ! grep -q 'went the ways' "$work/said"; then
                echo "$sanitizer, $library: the layer did no collective" >&2
                exit 1
            fi
            echo "$sanitizer, $library, $program: $reports reports, $before without the layer"
            runs=$((runs + 1))
        done
    done
done; done
echo "$runs programs under sanitizers"

#!/usr/bin/env bash
# Regenerates the fabric fixtures rack64/ and lmc1-8/ without InfiniBand hardware:
# a small generator writes the cabling, ibsim simulates it, opensm (minhop) routes
# it, and the ordinary infiniband-diags commands dump it.
#
#   usage: make.sh OUTDIR          (make.sh . inside this folder overwrites the fixtures)
#   needs: ibsim-utils opensm infiniband-diags  (Debian 12: 0.10, 3.3.23, 44.0)
#
# Route tables, LIDs and traces come out the same on every run; only the
# "generated on" line of ibnetdiscover carries a date.
set -euo pipefail
export LC_ALL=C PATH="$PATH:/usr/sbin"

[ $# -eq 1 ] || { echo "usage: $0 OUTDIR" >&2; exit 2; }
for tool in ibsim ibsim-run opensm ibnetdiscover iblinkinfo dump_fts dump_lfts ibroute ibtracert; do
    command -v "$tool" >/dev/null || { echo "$0: $tool not found" >&2; exit 1; }
done
mkdir -p "$1"
out=$(cd "$1" && pwd)

unset LD_PRELOAD    # ibsim-run mishandles one that is already set
tmp=$(mktemp -d)
ibsim_pid='' opensm_pid=''
stop() { # one of the two servers, by its own process id
    [ -n "$1" ] || return 0
    kill "$1" 2>/dev/null || true
    # opensm needs a moment to close its files; kill it only if it hangs
    for _ in $(seq 100); do
        kill -0 "$1" 2>/dev/null || { wait "$1" 2>/dev/null || true; return 0; }
        sleep 0.1
    done
    kill -KILL "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}
stop_opensm() { stop "$opensm_pid"; opensm_pid=''; }
stop_all() { stop_opensm; stop "$ibsim_pid"; ibsim_pid=''; }
trap 'stop_all; rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# gen_net LEAVES HOSTS_PER_LEAF SPINES: a two-level tree of 36-port switches with one
# cable from every leaf to every spine, as an ibsim net file on stdout. Hosts come
# first because a client attaches to the first node of the file.
gen_net() {
    awk -v leaves="$1" -v hpl="$2" -v spines="$3" 'BEGIN {
        radix = 36; speed = "4xQDR"; hosts = leaves * hpl
        for (h = 1; h <= hosts; h++) {
            l = int((h - 1) / hpl) + 1; p = (h - 1) % hpl + 1
            head("ca", hguid(h), "0x673c")
            printf "Ca\t1 \"H-%s\"\t\t# \"%s\"\n", hguid(h), hname(h)
            printf "[1](%s) \t\"S-%s\"[%d]\t\t# lid 0 lmc 0 \"%s\" lid 0 %s\n\n", \
                short(pguid(h)), lguid(l), p, lname(l), speed
        }
        for (l = 1; l <= leaves; l++) {
            switch_head(lguid(l), lname(l))
            for (p = 1; p <= hpl; p++) {
                h = (l - 1) * hpl + p
                printf "[%d]\t\"H-%s\"[1](%s) \t\t# \"%s\" lid 0 %s\n", \
                    p, hguid(h), short(pguid(h)), hname(h), speed
            }
            # uplinks on the last ports, as people cable them
            for (s = 1; s <= spines; s++)
                printf "[%d]\t\"S-%s\"[%d]\t\t# \"%s\" lid 0 %s\n", \
                    radix - spines + s, sguid(s), l, sname(s), speed
            print ""
        }
        for (s = 1; s <= spines; s++) {
            switch_head(sguid(s), sname(s))
            for (l = 1; l <= leaves; l++)
                printf "[%d]\t\"S-%s\"[%d]\t\t# \"%s\" lid 0 %s\n", \
                    l, lguid(l), radix - spines + s, lname(l), speed
            print ""
        }
    }
    # GUIDs: the vendor prefix 0002c9, then a block for each kind of node
    function hguid(h) { return sprintf("0002c9030010%04x", h * 16) }
    function pguid(h) { return sprintf("0002c9030010%04x", h * 16 + 1) }
    function lguid(l) { return sprintf("0002c9020041%04x", l * 16) }
    function sguid(s) { return sprintf("0002c9020042%04x", s * 16) }
    function hname(h) { return sprintf("node%03d HCA-1", h) }
    function lname(l) { return sprintf("leaf%02d/U1", l) }
    function sname(s) { return sprintf("spine%02d/U1", s) }
    function short(g) { sub(/^0+/, "", g); return g }
    function head(kind, g, dev) {
        printf "vendid=0x2c9\ndevid=%s\nsysimgguid=0x%s\n", dev, g
        printf kind == "ca" ? "caguid=0x%s\n" : "switchguid=0x%s(%s)\n", g, short(g)
    }
    function switch_head(g, name) {
        head("switch", g, "0xbd36")
        printf "Switch\t%d \"S-%s\"\t\t# \"%s\" base port 0 lid 0 lmc 0\n", radix, g, name
    }'
}

wait_for() { # FILE TEXT PID: until TEXT stands in FILE, or the server has died, or 60 s
    for _ in $(seq 600); do
        grep -qs "$2" "$1" && return 0
        kill -0 "$3" 2>/dev/null || break
        sleep 0.1
    done
    echo "$0: no '$2' from the server:" >&2
    tail -n 20 "$1" >&2 || true
    exit 1
}

diag() { # FILE COMMAND...: its output into FILE
    local file=$1; shift
    ibsim-run "$@" >"$file" 2>"$tmp/stderr" || { cat "$tmp/stderr" >&2; exit 1; }
    # dump_fts prints stale entries with exit status 0 when a table read is lost; only
    # stderr says so. The simulator's greeting is the only line expected there.
    if grep -v 'sim_connect: attached' "$tmp/stderr" | grep -q '[^[:space:]]'; then
        echo "$0: $* complained:" >&2; cat "$tmp/stderr" >&2; exit 1
    fi
}

# start_fabric NAME NETFILE LMC: simulator and subnet manager up, routes computed
start_fabric() {
    # own socket name: other simulators may run on this machine
    export IBSIM_SOCKNAME="$1-$$"
    export OSM_TMP_DIR="$tmp/$1" OSM_CACHE_DIR="$tmp/$1"
    mkdir -p "$tmp/$1"
    : >"$tmp/$1/opensm.conf"    # empty, so that no configuration of this machine counts
    ibsim -s -n "$2" >"$tmp/$1/ibsim.out" 2>&1 </dev/null &
    ibsim_pid=$!
    wait_for "$tmp/$1/ibsim.out" 'Network simulator ready' "$ibsim_pid"
    # ibsim-run ends in exec, so $! is opensm itself.
    # -d2 flushes the log at once; -D 0x43 adds opensm-lfts.dump
    ibsim-run opensm -e -F "$tmp/$1/opensm.conf" -f "$tmp/$1/opensm.log" -d2 -D 0x43 \
        -R minhop -l "$3" >"$tmp/$1/opensm.out" 2>&1 </dev/null &
    opensm_pid=$!
    wait_for "$tmp/$1/opensm.log" 'SUBNET UP' "$opensm_pid"
}

# host_lids IBNETDISCOVER: "index base_lid lmc" of every adapter, by host name from 0
host_lids() {
    awk '/^Ca\t/ { split($0, q, "\""); name = q[4] }
         /^\[1\]\(/ { match($0, /# lid [0-9]+ lmc [0-9]+/)
                      split(substr($0, RSTART, RLENGTH), w, " "); print name "\t" w[3], w[5] }' "$1" |
        sort | awk -F'\t' '{ print NR - 1, $2 }'
}

# trace_pairs DIR: one ibtracert process for all pairs of ibtracert_pairs.txt
trace_pairs() {
    # from inside the folder, because ibtracert's last line repeats the file name given
    (cd "$1" && diag "$tmp/trace" ibtracert --ports-file ibtracert_pairs.txt)
    [ "$(grep -c '^To ca' "$tmp/trace")" -eq "$(wc -l <"$1/ibtracert_pairs.txt")" ] ||
        { echo "$0: not every pair was traced to its end" >&2; exit 1; }
    # -n: no name and date inside, so that equal traces give equal files
    gzip -9n <"$tmp/trace" >"$1/ibtracert.txt.gz"
}

check_top_lid() { # DIR: dump_fts and ibroute lose the last LID if it is a multiple of 64
    local top
    top=$(sed -n 's/.*Unicast lids \[0x0-0x\([0-9a-f]*\)\].*/\1/p' "$1/dump_fts_n.txt" | sort | tail -n 1)
    [ $((16#$top % 64)) -ne 0 ] || { echo "$0: top LID 0x$top would be lost" >&2; exit 1; }
}

make_rack64() {
    local d=$out/rack64
    mkdir -p "$d"
    gen_net 8 8 2 >"$d/rack64.net"
    start_fabric rack64 "$d/rack64.net" 0
    diag "$d/ibnetdiscover.txt" ibnetdiscover
    diag "$d/dump_fts_n.txt" dump_fts -n
    check_top_lid "$d"
    # every host to six others, some on the same leaf, some on the next, some far away
    host_lids "$d/ibnetdiscover.txt" | awk '{ lid[$1] = $2 }
        END { n = split("1 8 11 22 36 61", step, " ")
              for (i = 0; i < NR; i++) for (k = 1; k <= n; k++)
                  print lid[i], lid[(i + step[k]) % NR] }' >"$d/ibtracert_pairs.txt"
    trace_pairs "$d"
    stop_all
}

make_lmc1_8() {
    local d=$out/lmc1-8 lid
    mkdir -p "$d/ibroute"
    rm -f "$d"/ibroute/lid-*.txt
    gen_net 2 4 2 >"$d/lmc1-8.net"
    start_fabric lmc1-8 "$d/lmc1-8.net" 1
    diag "$d/ibnetdiscover.txt" ibnetdiscover
    diag "$d/ibnetdiscover_p.txt" ibnetdiscover -p
    diag "$d/iblinkinfo.txt" iblinkinfo
    diag "$d/iblinkinfo_line.txt" iblinkinfo --line
    diag "$d/dump_fts_n.txt" dump_fts -n
    diag "$d/dump_lfts.txt" dump_lfts
    check_top_lid "$d"
    for lid in $(sed -n 's/^Switch\t.* port 0 lid \([0-9]*\) .*/\1/p' "$d/ibnetdiscover.txt" | sort -n); do
        diag "$d/ibroute/lid-$lid.txt" ibroute "$lid"
    done
    # every LID of every other host, from the base LID of every host
    host_lids "$d/ibnetdiscover.txt" | awk '{ lid[$1] = $2; n[$1] = 2 ^ $3 }
        END { for (i = 0; i < NR; i++) for (j = 0; j < NR; j++) if (i != j)
                  for (k = 0; k < n[j]; k++) print lid[i], lid[j] + k }' >"$d/ibtracert_pairs.txt"
    trace_pairs "$d"
    # after its exit, when the file is surely complete
    stop_opensm
    cp "$tmp/lmc1-8/opensm-lfts.dump" "$d/opensm-lfts.dump"
    stop_all
}

make_rack64
make_lmc1_8

for name in rack64 lmc1-8; do
    echo "$out/$name: $(grep -c '^Ca' "$out/$name/ibnetdiscover.txt") hosts," \
        "$(grep -c '^Switch' "$out/$name/ibnetdiscover.txt") switches," \
        "$(wc -l <"$out/$name/ibtracert_pairs.txt") traced pairs"
    (cd "$out/$name" && find . -type f | sort | sed 's|^\./|  |')
done

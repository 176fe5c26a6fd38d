#!/bin/bash
# Hosts in racks with shaped links, in this process's own namespaces: the kernel
# removes all of it when the last process ends.
#
#   usage: racks.sh RACKS HOSTS TRUNK RATE... -- COMMAND...
#
# Host i (node001, node002, ...) is in rack i / HOSTS, as in testdata/fabrics/lmc1-8 where there are two racks of four; the rates are given round to hosts, as
# tbf takes them ("200mbit"); TRUNK may be "none". COMMAND runs on the first; AGENT in its
# words is a launch agent in place of ssh. THROTTLE=DEVICE:RATE slows one direction of one link down: p4 is what the fifth host
# receives, node005/eth0 what it sends, up1 what leaves the second rack, dn1 what comes into it.
set -euo pipefail
racks=$1 hosts=$2 trunk=$3; shift 3
rates=()
while [ "$1" != -- ]; do rates+=("$1"); shift; done
shift
mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns
name() { printf node%03d $(($1 + 1)); }
shape() { [ "$1" = none ] || tc "${@:2}" root tbf rate "$1" burst 32kb limit 4mb; }
ip link add spine type bridge && ip link set spine up
for ((r = 0; r < racks; r++)); do
    ip link add "leaf$r" type bridge && ip link set "leaf$r" up
    ip link add "up$r" type veth peer name "dn$r"
    ip link set "up$r" master "leaf$r" up && ip link set "dn$r" master spine up
    shape "$trunk" qdisc add dev "up$r" && shape "$trunk" qdisc add dev "dn$r"
done
for ((i = 0; i < racks * hosts; i++)); do
    rate=${rates[i % ${#rates[@]}]}
    host=$(name "$i")
    ip netns add "$host" && ip -n "$host" link set lo up
    ip link add "p$i" type veth peer name eth0 netns "$host"
    ip link set "p$i" master "leaf$((i / hosts))" up
    ip -n "$host" addr add "10.77.0.$((i + 1))/24" dev eth0 && ip -n "$host" link set eth0 up
    shape "$rate" -n "$host" qdisc add dev eth0 && shape "$rate" qdisc add dev "p$i"
done
if [ -n "${THROTTLE:-}" ]; then
    device=${THROTTLE%:*} rate=${THROTTLE##*:}
    where=()
    case $device in */*) where=(-n "${device%/*}") ;; esac
    tc "${where[@]}" qdisc replace dev "${device#*/}" root tbf rate "$rate" burst 32kb limit 4mb
fi
agent=$PWD/agent.sh
cat >"$agent" <<'AGENT'
#!/bin/bash
while [[ "$1" == -* ]]; do shift; done
host=$1; shift
exec nsenter --net="/run/netns/$host" unshare --uts bash -c "hostname $host; $*"
AGENT
chmod +x "$agent"
for ((i = 0; i < racks * hosts; i++)); do echo "$(name "$i") slots=1"; done >hosts
# Not `ip netns exec`: it would hide /sys/fs/cgroup, which Slurm wants.
exec nsenter --net=/run/netns/node001 unshare --uts bash -c 'hostname node001; exec "$@"' bash "${@//AGENT/$agent}"

#!/bin/bash
# A whole Slurm: a controller here, and a slurmd for each node, on the hosts that racks.sh has made or, where there are
# none, all of them here. When all nodes are idle COMMAND runs.
#
#   usage: slurm.sh NODES COMMAND...    in a directory with slurm.conf
set -euo pipefail
nodes=$1
shift
export SLURM_CONF=$PWD/slurm.conf
mkdir state spool
head -c 128 /dev/urandom >key && chmod 600 key
munged --force --key-file "$PWD/key" --socket "$PWD/munge" --pid-file "$PWD/munge.pid" --log-file "$PWD/munge.log" \
    --seed-file "$PWD/munge.seed" 2>/dev/null
slurmctld -c
for ((i = 1; i <= nodes; i++)); do
    node=$(printf node%03d "$i")
    mkdir "tmp-$node"
    if [ -e "/run/netns/$node" ]; then
        # Not `ip netns exec`: it would hide /sys/fs/cgroup, which Slurm wants.
        nsenter --net="/run/netns/$node" unshare --uts bash -c "hostname $node; slurmd -N $node"
    else
        slurmd -N "$node"
    fi
done
until [ "$(sinfo -h -t idle -o %D)" = "$nodes" ]; do sleep 0.1; done
exec "$@"

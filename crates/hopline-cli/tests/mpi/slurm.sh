#!/bin/bash
# A whole Slurm on the hosts that racks.sh has made: a controller here, a slurmd on
# each host under its own name. Runs a batch script on all of them and shows what it printed.
#
#   usage: slurm.sh HOSTS SCRIPT    in a directory with slurm.conf and topology.conf
set -euo pipefail
hosts=$1 script=$2
export SLURM_CONF=$PWD/slurm.conf
mkdir state spool
head -c 128 /dev/urandom >key && chmod 600 key
munged --force --key-file "$PWD/key" --socket "$PWD/munge" --pid-file "$PWD/munge.pid" --log-file "$PWD/munge.log" \
    --seed-file "$PWD/munge.seed" 2>/dev/null
slurmctld -c
for ((i = 0; i < hosts; i++)); do
    host=$(printf node%03d $((i + 1)))
    nsenter --net="/run/netns/$host" unshare --uts bash -c "hostname $host; slurmd -N $host"
done
until [ "$(sinfo -h -t idle -o %D)" = "$hosts" ]; do sleep 0.1; done
sbatch --wait --quiet -N "$hosts" -n "$hosts" -o out "$script" || { cat out; exit 1; }
cat out

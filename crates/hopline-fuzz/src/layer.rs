//! What the preloaded layer reads: it must not take the program down that it sits in.

use crate::Target;
use crate::plain::text;
use hopline_mpi::readers;

pub(crate) const TARGETS: &[Target] = &[Target {
    name: "delays",
    about: "delays of pairs of hosts: a matrix of hops, rates, Slurm's switches, what was kept, and the service's answer",
    seeds: &[
        "=a b, c\n0 1 2\n3 0 4\n5,6,0\n",
        "=# GB/s\na 2\nb 1\nc 4\n",
        "=SwitchName=leaf0 Level=0 LinkSpeed=1 Nodes=a,b\nSwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=c,h[4-7]\n\
         SwitchName=spine Level=1 LinkSpeed=1 Nodes=a,b,c Switches=leaf[0-1]\n",
        "=hopline delays 1\npair a b 1e-4 4e-8 1800000000\nway 0000000000000007 allreduce 0 19 1e-7 3e-7 1800000000\n",
        "=lines 3\n0 3 1\n4 0 1\n1 1 0\n",
    ],
    reads: &["hopline-mpi/collectives/delays", "hopline-mpi/readers"],
    made: Vec::new,
    run: |data| readers::delays(&text(data), &["a", "b", "c"].map(String::from), 1_800_000_000),
}];

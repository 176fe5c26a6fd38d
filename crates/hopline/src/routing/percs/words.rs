//! The words of both routings of PERCS.

use crate::entry::{Entry, param};

pub(in crate::routing) const DIRECT: Entry = Entry {
    name: "direct",
    summary: "PERCS: L, D, L over the nd D links between two supernodes",
    doc: "Between supernodes a and b, share 1/nd over each bucket j: an L hop to node jW + (b mod W), the D link, an \
          L hop to the target. Within a supernode, inside=striped sends 1/8 over each node x of the source's drawer, \
          inside=single-hop sends all over the one LL or LR link.\nSource: the PERCS mapping paper, section IV-A.",
    example: "direct:inside=striped",
    params: &[param("inside", "striped|single-hop", "striped", "paths within a supernode")],
};

pub(in crate::routing) const INDIRECT: Entry = Entry {
    name: "indirect",
    summary: "PERCS: L, D, L, D, L over all intermediate supernodes",
    doc: "Between supernodes a and b, equal shares over every intermediate supernode c and bucket j: an L hop to the \
          node of bucket j that leads to c, D, an L hop there from where a arrives to where b leaves, both of bucket \
          j, D, an L hop to the target. intermediates=all counts c = a and c = b too (over the D links of a supernode \
          to itself), which is what the paper's tables do; intermediates=other is what its text says. \
          middle=free leaves out the L hop in the intermediate supernode (section VI-A's check): its \
          paths have a gap there.\n\
          Source: the PERCS mapping paper, section V-A.",
    example: "indirect:intermediates=all",
    params: &[
        param("inside", "striped|single-hop", "striped", "paths within a supernode"),
        param("intermediates", "all|other", "all", "whether the two end supernodes serve as intermediates"),
        param("middle", "charged|free", "charged", "whether the middle L hop loads its link"),
    ],
};

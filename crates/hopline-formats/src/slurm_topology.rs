//! What Slurm's plugin topology/tree reads: `topology.conf`, and the newer
//! `topology.yaml`; and reading both.

mod layers;
mod leaves;
mod read;
mod tree;

pub(crate) use read::{Item, Listed, conf as read_conf, is_conf, is_yaml, machine, yaml as read_yaml};

use hopline::error::Result;
use hopline::fabric::Fabric;
use hopline::format::hostlist::compress;
use std::fmt::Write as _;
use tree::{Children, Tree};

/// `topology.conf`: leaf switches first. O(links * heights).
///
/// # Errors
/// No host of the fabric has a name that Slurm takes.
pub(crate) fn conf(fabric: &Fabric) -> Result<String> {
    let tree = Tree::of(fabric)?;
    let mut text = comments(&tree);
    for switch in &tree.switches {
        // Writing to a String cannot fail, here and below.
        let _ = match &switch.below {
            Children::Nodes(nodes) => writeln!(text, "SwitchName={} Nodes={}", switch.name, compress(nodes)),
            Children::Switches(below) => writeln!(text, "SwitchName={} Switches={}", switch.name, compress(below)),
        };
    }
    Ok(text)
}

/// `topology.yaml`: the same tree as the cluster's default. O(links * heights).
///
/// # Errors
/// No host of the fabric has a name that Slurm takes.
pub(crate) fn yaml(fabric: &Fabric) -> Result<String> {
    let tree = Tree::of(fabric)?;
    let mut text = comments(&tree);
    text.push_str("---\n- topology: tree\n  cluster_default: true\n  tree:\n    switches:\n");
    for switch in &tree.switches {
        // A name may look like a number or a list, so all are quoted.
        let _ = match &switch.below {
            Children::Nodes(nodes) => {
                writeln!(text, "      - switch: \"{}\"\n        nodes: \"{}\"", switch.name, compress(nodes))
            }
            Children::Switches(below) => {
                writeln!(text, "      - switch: \"{}\"\n        children: \"{}\"", switch.name, compress(below))
            }
        };
    }
    Ok(text)
}

fn comments(tree: &Tree) -> String {
    tree.notes.iter().map(|note| format!("# {}\n", note.replace(char::is_control, " "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopline::fabric::{Builder, LinkClass};
    use hopline::id::VertexId;
    use hopline::unit::Bandwidth;

    /// Two pods of two leaves under two spines each, all spines under one core.
    fn pods() -> Fabric {
        let mut b = Builder::new("pods", 8, 9);
        let host = b.class(LinkClass::host(None));
        let up = b.class(LinkClass::network("up", Bandwidth::gb_s(1.0)));
        for e in 0..8 {
            b.name(VertexId(e), format!("n{:02}", e + 1));
            b.cable(VertexId(e), b.switch(e / 2), host);
        }
        for leaf in 0..4 {
            b.name(b.switch(leaf), format!("leaf{leaf}/A"));
            for spine in [0, 1] {
                b.cable(b.switch(leaf), b.switch(4 + leaf / 2 * 2 + spine), up);
            }
        }
        for spine in 4..8 {
            b.name(b.switch(spine), format!("spine{spine}"));
            b.cable(b.switch(spine), b.switch(8), up);
        }
        b.name(b.switch(8), "core");
        b.host_per_endpoint(1);
        b.finish().expect("a fabric")
    }

    #[test]
    fn switches_that_reach_the_same_become_one() {
        assert_eq!(
            conf(&pods()).expect("a tree"),
            "# pods\n\
             # height2-1 stands for spine4, spine5: Slurm wants one parent for each switch\n\
             # height2-2 stands for spine6, spine7: Slurm wants one parent for each switch\n\
             SwitchName=leaf0_A Nodes=n[01-02]\nSwitchName=leaf1_A Nodes=n[03-04]\n\
             SwitchName=leaf2_A Nodes=n[05-06]\nSwitchName=leaf3_A Nodes=n[07-08]\n\
             SwitchName=height2-1 Switches=leaf0_A,leaf1_A\nSwitchName=height2-2 Switches=leaf2_A,leaf3_A\n\
             SwitchName=core Switches=height2-[1-2]\n"
        );
        let yaml = yaml(&pods()).expect("a tree");
        assert!(yaml.contains("---\n- topology: tree\n  cluster_default: true\n  tree:\n    switches:\n"), "{yaml}");
        assert!(yaml.ends_with("      - switch: \"core\"\n        children: \"height2-[1-2]\"\n"), "{yaml}");
    }

    #[test]
    fn parts_that_no_cable_joins_have_roots_of_their_own() {
        let pods = pods();
        let core = pods.find("core").expect("core");
        let cut: Vec<_> = pods.out_links(core).collect();
        let text = conf(&pods.without(&cut)).expect("two trees");
        assert!(text.contains("# no cable joins the 2 parts of this network"), "{text}");
        assert!(text.ends_with("SwitchName=height2-2 Switches=leaf2_A,leaf3_A\n"), "{text}");
    }
}

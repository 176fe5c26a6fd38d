//! D-mod-k hop by hop: what a switch of a fat tree does with a target.

use crate::topology::FatTree;

/// The port by which every switch sends on, from the numbers of the switch and the target alone.
pub(crate) struct DModKRule {
    roots: u32,
    levels: u32,
    /// By switch, the leaves first.
    places: Vec<Place>,
}

/// A switch in its tree.
struct Place {
    /// The first endpoint below it, how many there are, and how many below each of its children.
    first: u32,
    span: u32,
    below: u32,
    /// Ports to children; those to parents follow.
    children: u32,
    /// Switches at the top of the subtree that it tops, and of the one around that.
    own: u32,
    above: u32,
    level: u32,
}

impl DModKRule {
    /// On a fat tree of which so many tops are used. O(switches).
    pub(super) fn new(t: &FatTree, roots: u32) -> DModKRule {
        let place = |level: usize, number: u32| Place {
            first: number / t.tops[level] * t.spans[level],
            span: t.spans[level],
            below: t.spans[level - 1],
            children: t.down[level - 1],
            own: t.tops[level],
            above: t.tops.get(level + 1).copied().unwrap_or(t.tops[level]),
            level: level as u32,
        };
        let switches = |level: usize| t.endpoints() / t.spans[level] * t.tops[level];
        let places = (1..=t.height()).flat_map(|level| (0..switches(level)).map(move |number| place(level, number)));
        DModKRule { roots, levels: t.height() as u32, places: places.collect() }
    }

    /// The port of a switch towards an endpoint.
    #[inline]
    pub(crate) fn port(&self, switch: u32, target: u32) -> u16 {
        let at = &self.places[switch as usize];
        let within = target.wrapping_sub(at.first);
        let port =
            if within < at.span { within / at.below } else { at.children + target % self.roots % at.above / at.own };
        port as u16
    }

    /// Levels of switches.
    pub(crate) fn levels(&self) -> u32 {
        self.levels
    }

    /// The level of a switch, the leaves being 1, and whether a port of it leads up.
    pub(crate) fn step(&self, switch: u32, port: u32) -> (u32, bool) {
        let at = &self.places[switch as usize];
        (at.level, port >= at.children)
    }
}

//! Which global port leads where: arrangements of the global links of a Dragonfly. Hastings, Rincon-Cruz, Spehlmann,
//! Meyers, Xu, Bunde and Leung, "Comparing global link arrangements for Dragonfly networks", CLUSTER 2015.

/// To which group the global ports of a group lead, in the order of their numbers r = 0..g-2; more cables repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arrangement {
    /// From group i to i + r + 1.
    #[default]
    Relative,
    /// From group i to i - r - 1, as the Dragonfly of CAMINOS.
    Palmtree,
    /// From group i to r, or to r + 1 from r = i on.
    Absolute,
    /// From group i to i + 1, i - 1, i + 2, i - 2, ...
    Circulant,
}

impl Arrangement {
    /// All of them by name, the usual one first.
    pub(super) const NAMES: [&'static str; 4] = ["relative", "palmtree", "absolute", "circulant"];
    pub(super) const ALL: [Arrangement; 4] =
        [Arrangement::Relative, Arrangement::Palmtree, Arrangement::Absolute, Arrangement::Circulant];

    pub(super) fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Number of the port of group `i` that leads to another group `j` of `g`.
    #[inline]
    pub(super) fn port(self, g: u32, i: u32, j: u32) -> u32 {
        let on = if j > i { j - i } else { j + g - i };
        match self {
            Arrangement::Relative => on - 1,
            Arrangement::Palmtree => g - on - 1,
            Arrangement::Absolute => j - u32::from(j > i),
            Arrangement::Circulant if 2 * on <= g => 2 * (on - 1),
            Arrangement::Circulant => 2 * (g - on) - 1,
        }
    }
}

//! Groups of routers with one link between any two (a Dragonfly), as a routing sees them.

/// How packets between two groups travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detour {
    /// Over the one link between both.
    None,
    /// By way of a random group, straight on from the router where it is reached.
    Group,
    /// By way of a random router of a random group.
    Router,
}

/// Groups of equal size. Endpoint e is in group e / `endpoints`, and each router of a group leads to
/// `together` groups of consecutive numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Groups {
    /// Number of groups.
    pub count: u32,
    /// Endpoints of a group.
    pub endpoints: u32,
    /// Groups that one router leads to.
    pub together: u32,
    /// What the routing does.
    pub detour: Detour,
    /// The routing of the same network that spreads traffic most evenly over all links.
    pub even: &'static str,
}

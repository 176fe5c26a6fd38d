//! One hop: what a family's rule is asked at a router, and what it answers.

/// A small word that travels with a packet; each rule says what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Header(pub u32);

/// Where the head of a packet stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// The router.
    pub router: u32,
    /// The port by which it came, counted at the router; [`At::START`] before the first hop of a walk.
    pub port: u16,
    /// The VC on which it came; 0 at a terminal.
    pub vc: u8,
}

impl At {
    /// In place of a port where a walk begins.
    pub const START: u16 = u16::MAX;

    /// The beginning of a walk at a router.
    pub fn start(router: u32) -> At {
        At { router, port: At::START, vc: 0 }
    }
}

/// Where it may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// The port by which it leaves, counted at the router.
    pub port: u16,
    /// The VC on which it leaves, below the number that the rule needs.
    pub vc: u8,
}

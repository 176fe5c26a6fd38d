//! Typed `u32` ids: a vertex is not a link, a slot is not a host.

/// Declares a `u32` newtype with `index()` and `Display`.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an array index.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// An endpoint or a switch of a fabric. Endpoints come first.
    VertexId
    /// A directed link of a fabric: one direction of one cable.
    LinkId
    /// A class of links (LL, LR, D, host, ...).
    ClassId
    /// A machine that owns endpoints and slots.
    HostId
    /// A place for one task on a host.
    SlotId
}

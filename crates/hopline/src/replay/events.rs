//! What a replay knows to happen.

/// What happens at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    /// The next packet of a message enters the network.
    Inject,
    /// That of the first message in line before a link does.
    Follow,
    /// The head of the first packet on a link is at its end.
    Hop,
    /// A request or grant is at its next link.
    Signal,
    /// The buffer of a link may have room.
    Room,
    /// A message is at its receiver's adapter.
    Arrive,
    /// The adapter hands a message to the host.
    Take,
    /// The processor of a rank is done with its task.
    Processor,
    /// A flow joins the others.
    Join,
    /// The next flow may be through.
    Flow,
}

//! Messages under way.

use super::NONE;
use super::routes::{EMPTY, MessageRoute};

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// The bytes of a send.
    Data,
    /// A large send asks for its receive.
    Request,
    /// And is told that it is posted.
    Grant,
}

/// A message under way: a line of the cache.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Message {
    /// The send, the receive that it meets, and the ranks of both.
    pub(super) op: u32,
    pub(super) recv: u32,
    pub(super) sender: u32,
    pub(super) receiver: u32,
    pub(super) what: What,
    /// Whether its data need no grant.
    pub(super) eager: bool,
    /// Whether its way is kept for the next of its kind.
    pub(super) keep: bool,
    /// Whether its packets arrive in order, so that only the last one counts.
    pub(super) orderly: bool,
    /// Its number among the messages of its send.
    pub(super) number: u32,
    /// The record of what let it go, for the critical path.
    pub(super) cause: u32,
    /// Packets that have left, and those that count of them and have not arrived.
    pub(super) packets: u32,
    pub(super) under_way: u32,
    pub(super) way: MessageRoute,
    /// Bytes that have not left, or `ALL_SENT`.
    pub(super) unsent: u64,
    /// When the last packet so far arrives; before the first has left, when it may.
    pub(super) arrival: u64,
    /// The message that leaves when this one has, or `NONE`; of a request or grant its next link in the arena.
    pub(super) next: u32,
}

/// No packet of a message is left.
pub(super) const ALL_SENT: u64 = u64::MAX;

/// A message without a way: it takes no link.
const NOWHERE: MessageRoute = MessageRoute::One(EMPTY);

impl Message {
    /// A message about a send between two ranks that has not begun to leave.
    pub(super) fn new(what: What, (op, recv): (u32, u32), (sender, receiver): (u32, u32), bytes: u64) -> Message {
        Message {
            op,
            recv,
            sender,
            receiver,
            what,
            eager: false,
            keep: false,
            orderly: false,
            number: 0,
            cause: NONE,
            packets: 0,
            under_way: 0,
            way: NOWHERE,
            unsent: bytes,
            arrival: 0,
            next: NONE,
        }
    }

    /// From which rank to which it goes: grants go back.
    pub(super) fn ends(&self) -> (u32, u32) {
        if self.what == What::Grant { (self.receiver, self.sender) } else { (self.sender, self.receiver) }
    }
}

/// Messages by number; numbers are used again.
#[derive(Debug, Default)]
pub(super) struct Messages {
    all: Vec<Message>,
    unused: Vec<u32>,
}

impl Messages {
    #[inline]
    pub(super) fn add(&mut self, message: Message) -> u32 {
        match self.unused.pop() {
            Some(id) => {
                self.all[id as usize] = message;
                id
            }
            None => {
                self.all.push(message);
                self.all.len() as u32 - 1
            }
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.all.len() * size_of::<Message>() + self.unused.len() * 4) as u64
    }

    #[inline]
    pub(super) fn drop(&mut self, id: u32) {
        self.unused.push(id);
    }

    /// Reads one if there is one, for the cache.
    #[inline]
    pub(super) fn glance(&self, id: u32) -> u32 {
        self.all.get(id as usize).map_or(0, |m| m.recv)
    }
}

impl std::ops::Index<u32> for Messages {
    type Output = Message;
    #[inline]
    fn index(&self, id: u32) -> &Message {
        &self.all[id as usize]
    }
}

impl std::ops::IndexMut<u32> for Messages {
    #[inline]
    fn index_mut(&mut self, id: u32) -> &mut Message {
        &mut self.all[id as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_a_line_of_the_cache() {
        assert_eq!(size_of::<Message>(), 64);
    }
}

//! Links that are first in, first out.

use super::model::Rate;
use super::sleep::Sleep;
use super::timeline::Timeline;
use crate::fabric::Fabric;
use crate::id::LinkId;

/// What a link has done so far.
#[derive(Debug, Clone, Copy, Default)]
struct Link {
    /// When the last packet has left it.
    free: u64,
    /// Picoseconds that it has been sending.
    busy: u64,
    class: u32,
}

/// The part of a class that counts here.
#[derive(Debug, Clone, Copy)]
struct Class {
    rate: Rate,
    latency: u64,
    /// Bytes that must have arrived before a packet is sent on, and their time.
    head: u32,
    head_time: u64,
    /// Neither bandwidth nor latency: a packet passes unnoticed.
    free: bool,
}

/// All links.
#[derive(Debug)]
pub(super) struct Links {
    links: Vec<Link>,
    classes: Vec<Class>,
    /// When the last request or grant has left each link.
    lane: Vec<u64>,
    pub(super) timeline: Option<Timeline>,
    pub(super) sleep: Option<Sleep>,
}

/// When the head and the tail of a packet are at the other end, and when it began to leave.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    pub(super) start: u64,
    pub(super) head: u64,
    pub(super) tail: u64,
}

impl Links {
    pub(super) fn new(fabric: &Fabric, forward: u32, timeline: Option<Timeline>) -> Links {
        let class = |c: &crate::fabric::LinkClass| {
            let rate = c.bandwidth.map_or(Rate::default(), Rate::of);
            Class {
                rate,
                latency: c.latency.0 * 1000,
                head: forward,
                head_time: rate.time(u64::from(forward)),
                free: c.bandwidth.is_none() && c.latency.0 == 0,
            }
        };
        let link = |l: u32| Link { class: fabric.class_id(LinkId(l)).0, ..Link::default() };
        Links {
            links: (0..fabric.links() as u32).map(link).collect(),
            classes: fabric.classes().iter().map(class).collect(),
            lane: vec![0; fabric.links()],
            timeline,
            sleep: None,
        }
    }

    /// Whether packets pass a link without taking any time.
    #[inline]
    pub(super) fn is_free(&self, link: u32) -> bool {
        self.classes[self.links[link as usize].class as usize].free
    }

    /// Reads a link, for the cache.
    #[inline]
    pub(super) fn glance(&self, link: u32) -> u32 {
        self.links[link as usize].class
    }

    /// Picoseconds from one end of a link to the other.
    #[inline]
    pub(super) fn latency(&self, link: u32) -> u64 {
        self.classes[self.links[link as usize].class as usize].latency
    }

    /// Sends a packet whose head and tail are at the link at `head` and `tail`.
    #[inline]
    pub(super) fn pass(&mut self, link: u32, head: u64, tail: u64, bytes: u32) -> Passage {
        let l = &mut self.links[link as usize];
        let class = &self.classes[l.class as usize];
        let (mut time, mut head_time) = (class.rate.time(u64::from(bytes)), class.head_time);
        let mut start = head.max(l.free);
        if let Some(sleep) = &mut self.sleep {
            (time, head_time) = (sleep.stretch(link, time), sleep.stretch(link, head_time));
            start = sleep.wake(link, start);
        }
        // A packet that comes in slower than it could leave keeps the link until its tail is there.
        let end = start.saturating_add(time).max(tail);
        l.free = end;
        l.busy = l.busy.saturating_add(time);
        let sent = if bytes <= class.head { end } else { end.min(start.saturating_add(head_time)) };
        let passage =
            Passage { start, head: sent.saturating_add(class.latency), tail: end.saturating_add(class.latency) };
        if let Some(timeline) = &mut self.timeline {
            timeline.add(link, start, start.saturating_add(time));
        }
        if let Some(sleep) = &mut self.sleep {
            sleep.sent(link, end);
        }
        passage
    }

    /// Sends a request or grant past all data, which goes on later by as much. Answers when it is at the other end.
    pub(super) fn pass_by(&mut self, link: u32, t: u64, bytes: u32) -> u64 {
        let l = &mut self.links[link as usize];
        let class = &self.classes[l.class as usize];
        let mut time = class.rate.time(u64::from(bytes));
        let mut start = t.max(self.lane[link as usize]);
        if let Some(sleep) = &mut self.sleep {
            time = sleep.stretch(link, time);
            start = sleep.wake(link, start);
        }
        let end = start.saturating_add(time);
        self.lane[link as usize] = end;
        let data = start.max(l.free);
        l.free = data.saturating_add(time);
        l.busy = l.busy.saturating_add(time);
        if let Some(timeline) = &mut self.timeline {
            timeline.add(link, data, l.free);
        }
        if let Some(sleep) = &mut self.sleep {
            sleep.sent(link, l.free);
        }
        end.saturating_add(class.latency)
    }

    /// Picoseconds that each link has been sending.
    pub(super) fn busy(&self) -> Vec<u64> {
        self.links.iter().map(|l| l.busy).collect()
    }

    /// Adds to what a link has sent, for networks without packets.
    pub(super) fn add_busy(&mut self, link: u32, bytes: f64) {
        let l = &mut self.links[link as usize];
        l.busy = l.busy.saturating_add(self.classes[l.class as usize].rate.time(bytes.round() as u64));
    }
}

//! Point-to-point calls, their requests, and one-sided calls, as events.

use super::Recorder;
use super::event::Shape;
use crate::abi::abi;
use crate::call::Call;
use crate::function::{Completion, FunctionKind};

impl Recorder {
    pub(super) fn point(&mut self, call: &Call<'_>, requests: &[usize]) {
        match call.kind() {
            FunctionKind::Send => {
                if let Some(shape) = self.send(call) {
                    self.issue(call, shape);
                }
            }
            FunctionKind::Recv => {
                if let Some(shape) = self.recv(call) {
                    self.issue(call, shape);
                }
            }
            FunctionKind::MatchedRecv => self.issue(call, Shape { bytes: call.bytes(), ..Shape::new("recv") }),
            FunctionKind::Sendrecv => {
                let both = [self.send(call), self.recv(call)];
                self.both(call, both);
            }
            FunctionKind::Start => self.start(call.request(0)),
            FunctionKind::Startall => requests.iter().for_each(|&request| self.start(request)),
            FunctionKind::Cancel => {
                let slots = requests.iter().filter_map(|&r| self.requests.slot(r)).map(u64::from);
                self.ended("cancel", &mut slots.collect::<Vec<u64>>());
            }
            FunctionKind::RequestFree => requests.iter().for_each(|&request| self.requests.forget(request)),
            FunctionKind::Wait | FunctionKind::Waitall => self.done(requests.iter().copied()),
            FunctionKind::Test | FunctionKind::Testall if call.flag() => self.done(requests.iter().copied()),
            FunctionKind::Waitany => self.done(call.index().and_then(|i| requests.get(i)).copied()),
            FunctionKind::Testany if call.flag() => self.done(call.index().and_then(|i| requests.get(i)).copied()),
            FunctionKind::Waitsome => self.done(call.indices().into_iter().filter_map(|i| requests.get(i).copied())),
            FunctionKind::OneSided(op) => {
                let peer = self.comms.target(call.window(), call.target());
                self.event(Shape { peer, bytes: call.bytes(), ..Shape::new(op) });
            }
            _ => {}
        }
    }

    fn send(&mut self, call: &Call<'_>) -> Option<Shape> {
        let (dest, tag) = (call.dest(), call.send_tag());
        let comm = self.comm(call.comm());
        let shape =
            Shape { peer: comm.world(dest), tag, bytes: call.sent_bytes(), comm: comm.number, ..Shape::new("send") };
        (dest != abi().proc_null).then_some(shape)
    }

    fn recv(&mut self, call: &Call<'_>) -> Option<Shape> {
        let (source, tag) = (call.source(), call.recv_tag());
        let comm = self.comm(call.comm());
        let tag = if tag == abi().any_tag { -1 } else { tag };
        let shape = Shape {
            peer: comm.world(source),
            tag,
            bytes: call.received_bytes(),
            comm: comm.number,
            ..Shape::new("recv")
        };
        (source != abi().proc_null).then_some(shape)
    }

    /// A send and a receive at once: `None` where the other is no process.
    fn both(&mut self, call: &Call<'_>, both: [Option<Shape>; 2]) {
        match (call.completion(), both) {
            (Completion::Blocking, both) => {
                let mut slots = Vec::new();
                for shape in both.into_iter().flatten() {
                    let slot = self.requests.take();
                    slots.push(u64::from(slot));
                    self.event(Shape { slot, ..shape });
                }
                slots.iter().for_each(|&slot| self.requests.give_back(slot as u32));
                self.ended("wait", &mut slots);
            }
            (_, [Some(send), Some(recv)]) => {
                let slots = self.requests.begin_both(call.request(0));
                [send, recv].into_iter().zip(slots).for_each(|(shape, slot)| self.event(Shape { slot, ..shape }));
            }
            (_, one) => one.into_iter().flatten().for_each(|shape| self.issue(call, shape)),
        }
    }

    /// The event of a call that blocks, or starts a request, or makes a persistent one.
    pub(super) fn issue(&mut self, call: &Call<'_>, shape: Shape) {
        match call.completion() {
            Completion::Blocking => self.event(shape),
            Completion::Request => {
                let slot = self.requests.begin(call.request(0));
                self.event(Shape { slot, ..shape });
            }
            Completion::Persistent => self.requests.make(call.request(0), shape),
        }
    }

    fn start(&mut self, request: usize) {
        if let Some(shape) = self.requests.start(request) {
            self.event(shape);
        }
    }

    fn done(&mut self, requests: impl IntoIterator<Item = usize>) {
        let mut slots = std::mem::take(&mut self.slots);
        requests.into_iter().for_each(|request| self.requests.end(request, &mut slots));
        self.ended("wait", &mut slots);
        slots.clear();
        self.slots = slots;
    }

    /// An event that names slots, where there are any.
    fn ended(&mut self, op: &'static str, slots: &mut [u64]) {
        if slots.is_empty() {
            return;
        }
        slots.sort_unstable();
        let list = self.stream.words.list(slots);
        self.event(Shape { list, ..Shape::new(op) });
    }
}

//! When endpoints generate packets.

use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::params::{Params, Reader};
use crate::rng::Rng;

/// An injection process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Process {
    /// In every cycle with the same probability.
    Bernoulli,
    /// At any time with the same rate; several may come in one cycle.
    Poisson,
    /// In bursts without gaps of so many packets on average, with silence between.
    Bursts {
        /// Mean number of packets.
        length: f64,
    },
    /// So many bytes to each partner, one packet to each in turn, then no more.
    Exchange {
        /// Bytes to each partner.
        bytes: u64,
    },
}

/// The processes, as they are documented.
pub const ENTRIES: [Entry; 4] = [
    Entry {
        name: "bernoulli",
        summary: "a packet in every cycle with the same probability",
        doc: "With load L and packets of F flits an endpoint generates a packet with probability L/F in every cycle.",
        example: "bernoulli",
        params: &[],
    },
    Entry {
        name: "poisson",
        summary: "packets at exponentially distributed distances",
        doc: "Distances between packets are exponential with mean F/L cycles; several may come in one cycle.",
        example: "poisson",
        params: &[],
    },
    Entry {
        name: "bursts",
        summary: "packets without gaps, then silence",
        doc: "Bursts have a geometric number of packets, F cycles apart; the silence between them is geometric, with the \
              mean that gives load L.",
        example: "bursts:length=16",
        params: &[param("length", "packets", "16", "mean length of a burst")],
    },
    Entry {
        name: "exchange",
        summary: "so many bytes to each partner, then no more",
        doc: "Every endpoint has its packets ready at cycle 0 and sends them as fast as it can, one to each partner of \
              the traffic in turn; the run ends when all have arrived. Loads, --warmup, --cycles and --until have no meaning; a note says which were given.",
        example: "exchange:bytes=262144",
        params: &[param("bytes", "count", "", "bytes to each partner")],
    },
];

impl Process {
    /// Reads a spec such as `bursts:length=16`.
    ///
    /// # Errors
    /// No process has that name, or a key is wrong.
    pub fn read(params: &Params) -> Result<Process> {
        let Some(entry) = ENTRIES.iter().find(|e| e.name == params.kind()) else {
            return Err(Error::input(format!("no injection process is called `{}`", params.kind()))
                .at(params.place())
                .hint(crate::error::suggest(params.kind(), ENTRIES.iter().map(|e| e.name))));
        };
        let reader: Reader = params.check(entry)?;
        Ok(match entry.name {
            "bernoulli" => Process::Bernoulli,
            "poisson" => Process::Poisson,
            "bursts" => reader.made(Process::bursts(reader.or("length", 16.0)?))?,
            _ => reader.made(Process::exchange(reader.need("bytes")?))?,
        })
    }

    /// In bursts of so many packets on average.
    ///
    /// # Errors
    /// It is less than one.
    pub fn bursts(length: f64) -> Result<Process> {
        if length >= 1.0 {
            return Ok(Process::Bursts { length });
        }
        Err(Error::argument("length", format!("`length` is {length}, expected 1 or more")))
    }

    /// So many bytes to each partner.
    ///
    /// # Errors
    /// There are none.
    pub fn exchange(bytes: u64) -> Result<Process> {
        match bytes {
            0 => Err(Error::argument("bytes", "`bytes` is 0, expected 1 or more")),
            bytes => Ok(Process::Exchange { bytes }),
        }
    }
}

/// No packet is to come.
pub(super) const NEVER: u32 = u32::MAX;

/// The generation times of one endpoint: what is needed to go on, no packets.
#[derive(Debug, Clone)]
pub(super) struct Clock {
    rng: Rng,
    /// The last generation time; fractions count for Poisson.
    time: f64,
    /// Packets still to come in this burst, or in all for an exchange.
    left: u64,
    /// Packets per cycle, and what turns a random value into cycles without one.
    rate: f64,
    scale: f64,
}

impl Clock {
    /// A clock that gives `rate` packets per cycle; `left` in all, for an exchange.
    pub(super) fn new(rng: Rng, rate: f64, left: u64) -> Clock {
        Clock { rng, time: -1.0, left, rate, scale: scale(rate) }
    }

    /// Whether no packet ever comes.
    #[inline]
    pub(super) fn is_silent(&self) -> bool {
        self.rate <= 0.0
    }

    /// Cycle of the next packet of `flits` flits; [`NEVER`] where none comes.
    pub(super) fn next(&mut self, process: Process, flits: u16) -> u32 {
        if self.is_silent() {
            return NEVER;
        }
        self.time += match process {
            Process::Bernoulli => 1.0 + self.failures(self.scale),
            Process::Poisson => -self.draw().ln() / self.rate,
            Process::Bursts { length } => self.burst(length, f64::from(flits)),
            Process::Exchange { .. } => match self.left.checked_sub(1) {
                None => return NEVER,
                Some(left) => {
                    self.left = left;
                    return 0;
                }
            },
        };
        // Beyond 2^32 cycles, where this stays at NEVER, nothing is simulated.
        self.time as u32
    }

    fn burst(&mut self, length: f64, flits: f64) -> f64 {
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            return flits;
        }
        self.left = self.failures(scale(1.0 / length)) as u64;
        let silence = length * (1.0 / self.rate - flits);
        flits + if silence > 0.0 { self.failures(scale(1.0 / (1.0 + silence))) } else { 0.0 }
    }

    /// Failures before the first success, by the [`scale`] of its probability.
    fn failures(&mut self, scale: f64) -> f64 {
        // Of 2^32 and more nothing is simulated; without a call of `floor`.
        if scale == 0.0 { 0.0 } else { f64::from((self.draw().ln() * scale) as u32) }
    }

    /// In (0, 1].
    fn draw(&mut self) -> f64 {
        1.0 - self.rng.unit()
    }

    /// Whether it can stand as it does where the last packet of which it told came, or comes, at `due`, with `all` of them in an
    /// exchange.
    pub(super) fn is_at(&self, process: Process, due: u32, all: u64) -> bool {
        let is_time = self.time >= -1.0;
        let told = |due: u32| due == if self.is_silent() { NEVER } else { self.time as u32 };
        is_time
            && match process {
                Process::Exchange { .. } => self.left <= all && (due == 0 || due == NEVER && self.left == 0),
                Process::Bursts { .. } => self.left <= u64::from(u32::MAX) && told(due),
                Process::Bernoulli | Process::Poisson => self.left == 0 && told(due),
            }
    }

    /// The state in words, for a checkpoint.
    pub(super) fn words(&self) -> [u64; 4] {
        let state = self.rng.state();
        [state as u64, (state >> 64) as u64, self.time.to_bits(), self.left]
    }

    /// Goes on where another clock of the same rate stood.
    pub(super) fn resume(&mut self, words: [u64; 4]) {
        self.rng = Rng::from_state(u128::from(words[0]) | u128::from(words[1]) << 64);
        self.time = f64::from_bits(words[2]);
        self.left = words[3];
    }
}

/// 1 / ln(1 - p): times the logarithm of a uniform value it is the number of
/// failures before a success of probability p. 0 where all succeed.
fn scale(p: f64) -> f64 {
    if p >= 1.0 || p <= 0.0 { 0.0 } else { 1.0 / (-p).ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of 100,000 cycles: the asked number of them within 5 sigma (more for bursts, which vary more).
    #[test]
    fn processes_keep_their_rates() {
        for (process, flits, sigma) in [
            (Process::Bernoulli, 1, 1.0),
            (Process::Poisson, 1, 1.0),
            (Process::Bursts { length: 8.0 }, 1, 5.0),
            (Process::Bursts { length: 8.0 }, 4, 5.0),
        ] {
            for load in [0.02, 0.3, 0.9] {
                let rate = load / f64::from(flits);
                let mut clock = Clock::new(Rng::new(3, "clock"), rate, 0);
                let (mut count, mut last) = (0, 0);
                loop {
                    let at = clock.next(process, flits);
                    assert!(at >= last, "time goes back");
                    last = at;
                    if at >= 100_000 {
                        break;
                    }
                    count += 1;
                }
                let expected = 100_000.0 * rate;
                assert!(
                    (f64::from(count) - expected).abs() < 5.0 * sigma * expected.sqrt(),
                    "{process:?} {load}: {count}"
                );
            }
        }
    }

    #[test]
    fn full_load_is_a_packet_every_cycle_and_an_exchange_ends() {
        let mut clock = Clock::new(Rng::new(1, "clock"), 1.0, 0);
        assert_eq!((0..4).map(|_| clock.next(Process::Bernoulli, 1)).collect::<Vec<_>>(), [0, 1, 2, 3]);
        let mut clock = Clock::new(Rng::new(1, "clock"), 1.0, 2);
        let exchange = Process::Exchange { bytes: 1 };
        assert_eq!((0..4).map(|_| clock.next(exchange, 1)).collect::<Vec<_>>(), [0, 0, NEVER, NEVER]);
    }
}

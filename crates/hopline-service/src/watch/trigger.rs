//! When to collect: pure reckoning with times that are handed in.

use super::Happening;
use std::time::{Duration, Instant};

/// Why it is time to collect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The first time, or the last time is long ago.
    Time,
    /// All tables are set.
    Up,
    /// Something changed, and the log does not tell whether it is over.
    Buffered,
    /// The last time failed.
    Again,
}

/// How long `SUBNET UP` is waited for after a change, first of all.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Times that a fabric is collected without `SUBNET UP`, each after twice the wait of the one before.
const BLIND: u32 = 6;
/// Waits after a failure.
const SHORTEST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(60);

/// Turns what the log says into times to collect.
#[derive(Debug, Clone)]
pub struct Trigger {
    every: Duration,
    /// When it is collected in any case.
    routine: Instant,
    up: bool,
    /// A change without its end: since when, and how often it was collected since.
    open: Option<(Instant, u32)>,
    /// After a failure.
    again: Option<(Instant, Duration)>,
}

impl Trigger {
    /// Due at once, and then after `every` at the latest.
    pub fn new(every: Duration, now: Instant) -> Trigger {
        Trigger { every, routine: now, up: false, open: None, again: None }
    }

    /// The log says something.
    pub fn hear(&mut self, happening: Happening, now: Instant) {
        match happening {
            Happening::Change => {
                self.open.get_or_insert((now, 0));
            }
            Happening::Up => {
                self.up = true;
                self.open = None;
            }
        }
    }

    /// Why to collect now, if it is time.
    pub fn due(&mut self, now: Instant) -> Option<Reason> {
        if std::mem::take(&mut self.up) {
            return Some(Reason::Up);
        }
        if let Some((since, times)) = &mut self.open
            && now.duration_since(*since) >= PATIENCE * 2u32.pow(*times)
        {
            *times += 1;
            if *times == BLIND {
                self.open = None;
            }
            return Some(Reason::Buffered);
        }
        if self.again.is_some_and(|(at, _)| now >= at) {
            return Some(Reason::Again);
        }
        // Not in the middle of a change.
        (self.open.is_none() && self.again.is_none() && now >= self.routine).then_some(Reason::Time)
    }

    /// It was collected, well or in vain.
    pub fn done(&mut self, well: bool, now: Instant) {
        self.routine = now + self.every;
        self.again = match self.again {
            _ if well => None,
            None => Some((now + SHORTEST, SHORTEST)),
            Some((_, wait)) => {
                let wait = (wait * 2).min(LONGEST);
                Some((now + wait, wait))
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_collected_after_subnet_up_and_not_before() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut trigger = Trigger::new(Duration::from_secs(60), start);
        assert_eq!(trigger.due(start), Some(Reason::Time));
        trigger.done(true, start);
        assert_eq!(trigger.due(at(100)), None);
        trigger.hear(Happening::Change, at(1000));
        assert_eq!(trigger.due(at(1400)), None, "the reroute is under way");
        trigger.hear(Happening::Up, at(1500));
        trigger.hear(Happening::Up, at(1500));
        assert_eq!((trigger.due(at(1500)), trigger.due(at(9000))), (Some(Reason::Up), None), "once for both");
        trigger.done(true, at(1600));
        assert_eq!((trigger.due(at(61_000)), trigger.due(at(61_600))), (None, Some(Reason::Time)));
    }

    #[test]
    fn a_buffered_log_is_not_waited_for() {
        let start = Instant::now();
        let mut trigger = Trigger::new(Duration::from_secs(3600), start);
        trigger.done(true, start);
        trigger.hear(Happening::Change, start);
        let mut times = Vec::new();
        for second in 0..200u64 {
            if let Some(reason) = trigger.due(start + Duration::from_secs(second)) {
                assert_eq!(reason, Reason::Buffered);
                times.push(second);
            }
        }
        assert_eq!(times, [2, 3, 6, 12, 24, 48], "1.5 s, 3 s, 6 s, ... after the change");
    }

    #[test]
    fn failures_are_tried_again_ever_less_often() {
        let start = Instant::now();
        let mut trigger = Trigger::new(Duration::from_secs(3600), start);
        let (mut now, mut times) = (start, Vec::new());
        while times.len() < 12 {
            if trigger.due(now).is_some() {
                times.push(now.duration_since(start).as_millis());
                trigger.done(false, now);
            }
            now += Duration::from_millis(250);
        }
        let gaps: Vec<_> = times.windows(2).map(|w| w[1] - w[0]).collect();
        assert_eq!(gaps[..4], [250, 500, 1000, 2000]);
        assert_eq!(gaps[10], 60_000);
    }
}

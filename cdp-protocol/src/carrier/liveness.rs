//! Decides from the signs of life of a peer when to ask for one, and when it is taken for gone. Knows no clock and does no I/O:
//! the driver tells what has arrived and what time it is.

use std::time::{Duration, Instant};

use crate::error::{CloseReason, Probe};
use crate::settings::Settings;

/// Durations are held to this range, so that no sum of a time and a duration overflows and nobody is asked without a pause.
const RANGE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_secs(30 * 365 * 86_400));

/// How much has arrived since the start of the connection. Only that it grows matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrived {
    pub(super) bytes: u64,
    /// Without ws control frames: what messages consist of, also those of which only a part is there. A control frame of which a
    /// part is there counts until the rest comes.
    pub(super) of_messages: u64,
    /// Whole messages.
    pub(super) messages: u64,
}

/// What to do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing before this time.
    Wait(Instant),
    Ask(Probe),
    End(CloseReason),
}

/// The rules that a connection's settings ask for.
#[derive(Debug)]
pub(super) struct Liveness {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    probe: Probe,
    silence: Duration,
    /// How long each probe has to bring a sign of life, and how many may fail.
    patience: Duration,
    allowed: u32,
    /// The most of each that had arrived at `since`.
    known: Arrived,
    since: Instant,
    asked: u32,
    due: Instant,
}

impl Liveness {
    /// `None` when the settings ask for nothing, or for nothing that this carrier has.
    pub(super) fn new(settings: &Settings, has_pings: bool, now: Instant) -> Option<Self> {
        let ping = settings.ping.filter(|_| has_pings);
        let ping = ping.map(|(silence, deadline)| Rule::new(Probe::Ping, silence, deadline, 1, now));
        let heartbeat = settings.heartbeat;
        let heartbeat = heartbeat.map(|silence| Rule::new(Probe::Heartbeat, silence, silence, 2, now));
        let rules: Vec<_> = ping.into_iter().chain(heartbeat).collect();
        (!rules.is_empty()).then_some(Self { rules })
    }

    /// Whether this is more than was heard so far.
    pub(super) fn is_news(&self, arrived: Arrived) -> bool {
        self.rules.iter().any(|rule| rule.is_news(arrived))
    }

    /// Takes note of what has arrived until now.
    pub(super) fn heard(&mut self, now: Instant, arrived: Arrived) {
        for rule in &mut self.rules {
            if rule.is_news(arrived) {
                rule.known.bytes = rule.known.bytes.max(arrived.bytes);
                rule.known.of_messages = rule.known.of_messages.max(arrived.of_messages);
                rule.known.messages = rule.known.messages.max(arrived.messages);
                rule.restart(now);
            }
        }
    }

    /// Nothing was read until now, so nothing can be said of the peer's silence.
    pub(super) fn restart(&mut self, now: Instant) {
        self.rules.iter_mut().for_each(|rule| rule.restart(now));
    }

    /// What to do now. All that had arrived by `looked` must have been told by [`heard`](Self::heard); what has come since may
    /// stand in the carrier yet, so only what was due by then is judged.
    pub(super) fn judge(&mut self, looked: Instant, now: Instant) -> Verdict {
        match self.rules.iter_mut().find(|rule| rule.due <= looked) {
            Some(rule) => rule.judge(now),
            None => Verdict::Wait(self.next_due().unwrap_or(now)),
        }
    }

    /// When to look next.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.rules.iter().map(|rule| rule.due).min()
    }
}

impl Rule {
    fn new(probe: Probe, silence: Duration, patience: Duration, allowed: u32, now: Instant) -> Self {
        let silence = silence.clamp(RANGE.0, RANGE.1);
        let patience = patience.clamp(RANGE.0, RANGE.1);
        let due = now + silence;
        Self { probe, silence, patience, allowed, known: Arrived::default(), since: now, asked: 0, due }
    }

    fn is_news(&self, arrived: Arrived) -> bool {
        match self.probe {
            Probe::Ping => arrived.bytes > self.known.bytes,
            // Bytes alone would do, but for those of a control frame that were taken for more than they turned out to be.
            Probe::Heartbeat => {
                arrived.of_messages > self.known.of_messages || arrived.messages > self.known.messages
            }
        }
    }

    fn restart(&mut self, now: Instant) {
        (self.since, self.asked, self.due) = (now, 0, now + self.silence);
    }

    fn judge(&mut self, now: Instant) -> Verdict {
        if self.asked == self.allowed {
            let silence = now.saturating_duration_since(self.since);
            return Verdict::End(CloseReason::Unresponsive { probe: self.probe, silence });
        }
        self.asked += 1;
        // From now, not from when it was due: a late timer is no fault of the peer.
        self.due = now + self.patience;
        Verdict::Ask(self.probe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    enum Do {
        /// Bytes, bytes of messages, and messages that have arrived by then.
        Hear(u64, u64, u64),
        Restart,
        /// What the verdict must be: to wait until a time, to ask, or to end after so long a silence.
        Waits(u64),
        Asks(Probe),
        Ends(Probe, u64),
    }

    use Do::{Asks, Ends, Hear, Restart, Waits};
    use Probe::{Heartbeat, Ping};

    /// Runs a table of times in milliseconds.
    #[track_caller]
    fn check(settings: Settings, table: &[(u64, Do)]) {
        let start = Instant::now();
        let mut liveness = Liveness::new(&settings, true, start).unwrap();
        for (at, step) in table {
            let now = start + ms(*at);
            let expected = match *step {
                Hear(bytes, of_messages, messages) => {
                    liveness.heard(now, Arrived { bytes, of_messages, messages });
                    continue;
                }
                Restart => {
                    liveness.restart(now);
                    continue;
                }
                Waits(until) => Verdict::Wait(start + ms(until)),
                Asks(probe) => Verdict::Ask(probe),
                Ends(probe, silence) => {
                    Verdict::End(CloseReason::Unresponsive { probe, silence: ms(silence) })
                }
            };
            assert_eq!(liveness.judge(now, now), expected, "at {at} ms");
        }
    }

    #[test]
    fn a_silent_peer_is_pinged_once_and_then_taken_for_gone() {
        check(
            Settings::default().ping(ms(100), ms(30)),
            &[
                (0, Waits(100)),
                (99, Waits(100)),
                (100, Asks(Ping)),
                (100, Waits(130)),
                (129, Waits(130)),
                (130, Ends(Ping, 130)),
            ],
        );
    }

    #[test]
    fn any_byte_answers_a_ping() {
        check(
            Settings::default().ping(ms(100), ms(30)),
            &[
                (50, Hear(1, 0, 0)),
                (100, Waits(150)),
                (150, Asks(Ping)),
                (170, Hear(2, 0, 0)),
                (180, Waits(270)),
                (270, Asks(Ping)),
                (290, Hear(2, 0, 0)),
                (300, Ends(Ping, 130)),
            ],
        );
    }

    #[test]
    fn two_calls_without_a_message_end_a_connection_and_one_does_not() {
        check(
            Settings::default().heartbeat(ms(100)),
            &[
                (100, Asks(Heartbeat)),
                (200, Asks(Heartbeat)),
                (250, Hear(5, 5, 0)),
                (300, Waits(350)),
                (350, Asks(Heartbeat)),
                (450, Asks(Heartbeat)),
                (549, Waits(550)),
                (550, Ends(Heartbeat, 300)),
            ],
        );
    }

    #[test]
    fn control_frames_are_a_sign_of_life_to_the_ping_alone() {
        check(
            Settings::default().ping(ms(100), ms(100)).heartbeat(ms(150)),
            &[
                (90, Hear(2, 0, 0)),
                (150, Asks(Heartbeat)),
                (180, Hear(4, 0, 0)),
                (270, Hear(6, 0, 0)),
                (300, Asks(Heartbeat)),
                (360, Hear(8, 0, 0)),
                (440, Hear(10, 0, 0)),
                (450, Ends(Heartbeat, 450)),
            ],
        );
    }

    #[test]
    fn part_of_a_pong_that_was_taken_for_a_message_is_so_but_once() {
        // Its first byte looks like that of a message until the rest is there.
        check(
            Settings::default().heartbeat(ms(100)),
            &[
                (50, Hear(1, 1, 0)),
                (60, Hear(2, 0, 0)),
                (150, Asks(Heartbeat)),
                (160, Hear(3, 1, 0)),
                (170, Hear(4, 0, 0)),
                (250, Asks(Heartbeat)),
                (255, Hear(100, 90, 0)),
                (260, Hear(101, 10, 0)),
                (300, Hear(141, 50, 1)),
                (399, Waits(400)),
                (400, Asks(Heartbeat)),
                (500, Asks(Heartbeat)),
                (600, Ends(Heartbeat, 300)),
            ],
        );
    }

    #[test]
    fn a_late_timer_takes_nothing_from_the_time_to_answer() {
        check(
            Settings::default().ping(ms(100), ms(30)),
            &[(5000, Asks(Ping)), (5029, Waits(5030)), (5030, Ends(Ping, 5030))],
        );
    }

    #[test]
    fn time_in_which_nothing_was_read_is_no_silence() {
        check(
            Settings::default().ping(ms(100), ms(30)),
            &[(100, Asks(Ping)), (120, Restart), (130, Waits(220)), (220, Asks(Ping))],
        );
    }

    #[test]
    fn nothing_is_watched_unless_it_is_asked_for_and_the_carrier_has_it() {
        let now = Instant::now();
        assert!(Liveness::new(&Settings::default(), true, now).is_none());
        let ping = Settings::default().ping(ms(1), ms(1));
        assert!(Liveness::new(&ping, false, now).is_none());
        assert!(Liveness::new(&ping.heartbeat(ms(1)), false, now).is_some());
    }

    #[test]
    fn durations_without_measure_neither_overflow_nor_ask_without_a_pause() {
        let now = Instant::now();
        let mut liveness = Liveness::new(&Settings::default().heartbeat(Duration::MAX), true, now).unwrap();
        assert!(matches!(liveness.judge(now + ms(1_000_000), now + ms(1_000_000)), Verdict::Wait(_)));
        check(
            Settings::default().ping(Duration::ZERO, Duration::ZERO),
            &[(0, Waits(1)), (1, Asks(Ping)), (1, Waits(2)), (2, Ends(Ping, 2))],
        );
    }
}

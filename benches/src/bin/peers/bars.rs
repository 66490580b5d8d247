//! What ours has to reach, and whether a run says so.

use std::fmt::Write;

use crate::rounds::Run;
use crate::scenarios::Metric;
use crate::table::{by_round, median, number, ratios};

/// A figure of ours that may be at most so many times another's, or itself at most so much.
struct Bar {
    scenario: &'static str,
    client: &'static str,
    metric: Metric,
    base: Option<Base>,
    limit: f64,
}

/// A client, in the same scenario if no other is named.
struct Base {
    scenario: Option<&'static str>,
    client: &'static str,
}

const fn bar(scenario: &'static str, metric: Metric, base: &'static str, limit: f64) -> Bar {
    of("ours", scenario, metric, base, limit)
}

const fn of(
    client: &'static str,
    scenario: &'static str,
    metric: Metric,
    base: &'static str,
    limit: f64,
) -> Bar {
    Bar { scenario, client, metric, base: Some(Base { scenario: None, client: base }), limit }
}

const fn alone(client: &'static str, scenario: &'static str, metric: Metric, limit: f64) -> Bar {
    Bar { scenario, client, metric, base: None, limit }
}

const PATH: &str = "chromiumoxide-path";
const COUNTED_PATH: &str = "chromiumoxide-path-counting";

const BARS: &[Bar] = &[
    bar("small", Metric::Cpu, "tokio-tungstenite", 1.0 / 2.0),
    bar("small", Metric::Cpu, PATH, 1.0 / 10.0),
    bar("event", Metric::Cpu, "tokio-tungstenite", 0.8),
    bar("event", Metric::Cpu, PATH, 1.0 / 12.0),
    bar("big", Metric::Cpu, "floor", 1.1),
    bar("decode", Metric::Cpu, PATH, 0.6),
    of("ours-counting", "decode_allocs", Metric::Allocations, COUNTED_PATH, 1.0 / 2.0),
    Bar {
        scenario: "route_10000",
        client: "ours",
        metric: Metric::Cpu,
        base: Some(Base { scenario: Some("route_1"), client: "ours" }),
        limit: 1.2,
    },
    bar("rtt", Metric::Median, "floor", 1.15),
    of("ours-pipe", "rtt", Metric::Median, "floor-pipe", 1.15),
    bar("rtt", Metric::Cpu, "floor", 2.5),
    of("ours-pipe", "rtt", Metric::Cpu, "floor-pipe", 2.5),
    bar("rtt", Metric::Cpu, "chromiumoxide", 1.0 / 3.0),
    bar("inflight", Metric::Wall, "floor", 1.05),
    of("ours-pipe", "inflight", Metric::Wall, "floor-pipe", 1.05),
    bar("inflight", Metric::Cpu, "floor", 2.5),
    of("ours-pipe", "inflight", Metric::Cpu, "floor-pipe", 2.5),
    bar("console", Metric::Cpu, "chromiumoxide", 1.0 / 2.0),
    bar("console_unread", Metric::Cpu, "floor", 1.3),
    of("ours-pipe", "console_unread", Metric::Cpu, "floor-pipe", 1.3),
    alone("ours", "string", Metric::Growth, 2.1),
    alone("ours-pipe", "string", Metric::Growth, 2.1),
    alone("ours", "png", Metric::Growth, 1.8),
    alone("ours-pipe", "png", Metric::Growth, 1.8),
    of("engine", "evaluate", Metric::Median, "floor-pipe", 1.25),
    of("engine", "evaluate", Metric::Median, "playwright", 0.4),
    of("engine", "evaluate", Metric::Cpu, "playwright", 0.1),
    Bar {
        scenario: "evaluate_100",
        client: "engine",
        metric: Metric::Median,
        base: Some(Base { scenario: Some("evaluate"), client: "engine" }),
        limit: 1.1,
    },
    alone("engine", "evaluate_100", Metric::Resident, 20.0),
    of("engine", "pages", Metric::Median, "playwright", 0.7),
    // Nearly all of it is the browser's own time; the rest is what two launches of one client differ.
    of("engine", "launch", Metric::Whole, "floor-pipe", 1.05),
    of("engine", "launch_shell", Metric::Whole, "floor-pipe", 1.05),
    Bar {
        scenario: "launch_shell",
        client: "engine",
        metric: Metric::Whole,
        base: Some(Base { scenario: Some("launch"), client: "playwright" }),
        limit: 0.5,
    },
];

/// A table of the bars that the runs say something of, or nothing where there is none.
pub fn list(runs: &[Run]) -> String {
    let mut text = String::new();
    for bar in BARS {
        let values = by_round(runs, bar.scenario, bar.client, bar.metric);
        let (reached, against) = match &bar.base {
            None => (values.into_values().collect(), String::new()),
            Some(Base { scenario, client }) => {
                let base = by_round(runs, scenario.unwrap_or(bar.scenario), client, bar.metric);
                let place = scenario.map(|scenario| format!(" in {scenario}")).unwrap_or_default();
                (ratios(&values, &base), format!(" ÷ {client}{place}"))
            }
        };
        let Some(reached) = median(&reached) else { continue };
        let verdict = if reached <= bar.limit { "met" } else { "**missed**" };
        let (figure, reached, limit) = (bar.metric.title(), number(reached), number(bar.limit));
        if text.is_empty() {
            text += "\n### Bars\n\n| scenario | figure | reached | bar | |\n|---|---|---|---|---|\n";
        }
        let _ = writeln!(
            text,
            "| {} | {} {figure}{against} | {reached} | ≤ {limit} | {verdict} |",
            bar.scenario, bar.client
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clients::CLIENTS;
    use crate::rounds::Outcome;
    use crate::scenarios::SCENARIOS;

    #[test]
    fn bars_name_figures_that_are_measured() {
        for bar in BARS {
            let base = bar.base.iter().map(|base| (base.scenario.unwrap_or(bar.scenario), base.client));
            for (scenario, client) in base.chain([(bar.scenario, bar.client)]) {
                let found = SCENARIOS.iter().find(|found| found.name == scenario);
                let found = found.unwrap_or_else(|| panic!("there is no scenario {scenario}"));
                assert!(found.clients.contains(&client), "{scenario} is not for {client}");
                assert!(
                    found.metrics.contains(&bar.metric),
                    "{scenario} does not show {}",
                    bar.metric.title()
                );
            }
        }
    }

    #[test]
    fn bars_are_listed_only_where_figures_tell_of_them() {
        let run = |scenario| Run {
            round: 0,
            scenario,
            client: "ours",
            foreign: 0.0,
            outcome: Outcome::Figures(json!({ "n": 1, "rss0_kb": 0, "peak_kb": 2, "payload": 1024 })),
        };
        assert_eq!(list(&[run("rtt")]), "");
        let listed = list(&[run("rtt"), run("string")]);
        assert_eq!(listed.matches("### Bars").count(), 1, "{listed}");
        assert!(listed.contains("| string | ours growth ÷ payload | 2.00 | ≤ 2.10 | met |"), "{listed}");
    }

    #[test]
    fn scenarios_name_clients_that_there_are() {
        for scenario in SCENARIOS {
            for name in scenario.clients.iter().chain([&scenario.base]) {
                assert!(CLIENTS.iter().any(|client| client.name == *name), "{}: {name}", scenario.name);
            }
        }
    }
}

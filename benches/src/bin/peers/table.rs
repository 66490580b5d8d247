//! Figures as Markdown: medians with their range, and ratios taken within a round.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::clients::CLIENTS;
use crate::rounds::{Outcome, Run};
use crate::scenarios::{Metric, Scenario};

/// A figure by round, of one client in one scenario.
pub fn by_round(runs: &[Run], scenario: &str, client: &str, metric: Metric) -> BTreeMap<usize, f64> {
    let runs = runs.iter().filter(|run| run.scenario == scenario && run.client == client);
    runs.filter_map(|run| Some((run.round, run.metric(metric)?))).collect()
}

/// What one is of the other, round by round.
pub fn ratios(values: &BTreeMap<usize, f64>, base: &BTreeMap<usize, f64>) -> Vec<f64> {
    values
        .iter()
        .filter_map(|(round, value)| Some(value / base.get(round)?))
        .filter(|ratio| ratio.is_finite())
        .collect()
}

pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some((lower + upper) / 2.0)
}

/// `median [lowest–highest]`, or a dash.
fn spread(values: &[f64]) -> String {
    let Some(middle) = median(values) else { return "–".into() };
    if let [_] = values {
        return number(middle);
    }
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(0.0, f64::max);
    format!("{} [{}–{}]", number(middle), number(lowest), number(highest))
}

/// Three digits that say something.
pub fn number(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A scenario's table, or nothing where no client ran.
pub fn markdown(scenario: &Scenario, share: usize, runs: &[Run]) -> String {
    if runs.iter().all(|run| run.scenario != scenario.name) {
        return String::new();
    }
    let (title, name, count) = (scenario.title, scenario.name, scenario.operations(share));
    let mut text = format!("\n### {title} (`{name}`, n = {count})\n\n| client |");
    for metric in scenario.metrics {
        let _ = write!(text, " {} | ÷ {} |", metric.title(), scenario.base);
    }
    let _ = writeln!(
        text,
        " others' cores | rounds |\n|---|{}---|---|",
        "---|---|".repeat(scenario.metrics.len())
    );
    for client in CLIENTS {
        let own: Vec<&Run> =
            runs.iter().filter(|run| run.scenario == scenario.name && run.client == client.name).collect();
        if own.is_empty() {
            continue;
        }
        let _ = write!(text, "| {} |", client.name);
        for metric in scenario.metrics {
            let values = by_round(runs, scenario.name, client.name, *metric);
            let base = by_round(runs, scenario.name, scenario.base, *metric);
            let all: Vec<f64> = values.values().copied().collect();
            let ratio = median(&ratios(&values, &base)).map_or("–".into(), number);
            let _ = write!(text, " {} | {ratio} |", spread(&all));
        }
        let foreign: Vec<f64> = own.iter().map(|run| run.foreign).collect();
        let _ = writeln!(text, " {:.2} | {} |", median(&foreign).unwrap_or_default(), own.len());
    }
    for run in runs.iter().filter(|run| run.scenario == scenario.name) {
        if let Outcome::Failed(problem) = &run.outcome {
            let _ = writeln!(text, "\n{}, round {}: {problem}", run.client, run.round);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scenarios::SCENARIOS;

    #[test]
    fn the_median_of_an_even_number_of_values_lies_between_the_middle_ones() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 10.0]), Some(3.0));
    }

    #[test]
    fn a_table_tells_how_much_was_done_and_is_left_out_where_nothing_was() {
        let scenario = |name: &str| SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap();
        let figures = json!({ "n": 2500, "cpu_s": 0.1, "wall_s": 0.2 });
        let runs = [Run {
            round: 0,
            scenario: "console",
            client: "floor",
            foreign: 0.0,
            outcome: Outcome::Figures(figures),
        }];
        assert_eq!(markdown(scenario("small"), 20, &runs), "");
        let text = markdown(scenario("console"), 20, &runs);
        assert!(text.contains("(`console`, n = 2500)"), "{text}");
        assert!(text.contains("| floor | 40.0 |"), "{text}");
    }

    #[test]
    fn ratios_are_taken_within_a_round_and_only_where_both_were_measured() {
        let values = BTreeMap::from([(0, 6.0), (1, 9.0), (3, 1.0)]);
        let base = BTreeMap::from([(0, 2.0), (1, 9.0), (2, 5.0)]);
        assert_eq!(ratios(&values, &base), [3.0, 1.0]);
    }
}

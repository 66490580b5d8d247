//! Prints figures as they come, keeps them as JSON lines, and sets them against peers and targets at the end.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::measure::{Figures, Mode};

/// Above this many cores used by others the figures say more about them than about the build.
const FOREIGN_LIMIT: f64 = 0.5;

/// CPU seconds below which a clean build of ours has to stay on a current core.
fn most_cpu(mode: Mode) -> f64 {
    match mode {
        Mode::Debug => 10.0,
        Mode::Check => 6.0,
        Mode::Release => 20.0,
    }
}

/// Ours to a peer's: the largest share of CPU, in debug, and of the largest compiler process.
const MOST_CPU_SHARE: f64 = 1.0 / 10.0;
const MOST_PEAK_SHARE: f64 = 1.0 / 3.0;

pub struct Report {
    ours: String,
    file: PathBuf,
    figures: Vec<Figures>,
}

impl Report {
    pub fn new(ours: &str, file: &Path) -> Report {
        Report { ours: ours.to_owned(), file: file.to_owned(), figures: Vec::new() }
    }

    pub fn add(&mut self, figures: Figures) -> Result<(), String> {
        println!("{}", line(&figures));
        append(&figures, &self.file)?;
        self.figures.push(figures);
        Ok(())
    }

    /// Ratios to each peer, mode by mode, then the targets.
    pub fn compare(&self) {
        let ours: Vec<&Figures> =
            self.figures.iter().filter(|figures| figures.package == self.ours).collect();
        for own in &ours {
            let peers = self.figures.iter().filter(|f| f.mode == own.mode && f.package != self.ours);
            for peer in peers {
                println!("{}", ratios(own, peer));
            }
        }
        for own in &ours {
            let (cpu, most) = (own.cpu(), most_cpu(own.mode));
            println!("{} CPU {cpu:.1} s (target < {most} s{})", own.mode.name(), missed(cpu < most));
        }
    }
}

fn line(figures: &Figures) -> String {
    let Figures { package, version, mode, user, system, wall, peak_mib, foreign } = figures;
    let mut line = format!(
        "{package} {version}, clean {} build, dependencies ready: {:.1} s of CPU ({user:.1} user, {system:.1} system), \
         {wall:.1} s of wall time, largest compiler process {peak_mib:.0} MiB",
        mode.name(),
        figures.cpu(),
    );
    match foreign {
        Some(cores) if *cores > FOREIGN_LIMIT => {
            line += &format!("; others used {cores:.1} cores meanwhile, so measure again on a quiet machine");
        }
        Some(cores) => line += &format!("; others used {cores:.1} cores meanwhile"),
        None => {}
    }
    line
}

fn ratios(own: &Figures, peer: &Figures) -> String {
    let (cpu, peak) = (own.cpu() / peer.cpu(), own.peak_mib / peer.peak_mib);
    let cpu_target = match own.mode {
        Mode::Debug => format!(" (target <= {MOST_CPU_SHARE:.3}{})", missed(cpu <= MOST_CPU_SHARE)),
        Mode::Check | Mode::Release => String::new(),
    };
    format!(
        "{}, {} to {} {}: CPU {cpu:.3}{cpu_target}, peak memory {peak:.2} (target <= {MOST_PEAK_SHARE:.2}{})",
        own.mode.name(),
        own.package,
        peer.package,
        peer.version,
        missed(peak <= MOST_PEAK_SHARE),
    )
}

fn missed(reached: bool) -> &'static str {
    if reached { "" } else { ", MISSED" }
}

fn append(figures: &Figures, file: &Path) -> Result<(), String> {
    let Figures { package, version, mode, user, system, wall, peak_mib, foreign } = figures;
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let foreign = foreign.map_or("null".to_owned(), |cores| format!("{cores:.2}"));
    let line = format!(
        "{{\"time\":{time},\"package\":\"{package}\",\"version\":\"{version}\",\"mode\":\"{}\",\"cpu_s\":{:.2},\
         \"user_s\":{user:.2},\"system_s\":{system:.2},\"wall_s\":{wall:.2},\"peak_mib\":{peak_mib:.0},\
         \"foreign_cores\":{foreign}}}\n",
        mode.name(),
        figures.cpu(),
    );
    let write = || {
        fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
        fs::OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
    };
    write().map_err(|problem| format!("{}: {problem}", file.display()))
}

//! Runs every committed corpus file through its target, and many changed ones: what a fuzzer found once stays found, without one.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use fuzz::{TARGETS, Target};

/// Inputs made of a target's corpus. They are the same in each run.
const CHANGED: usize = 2000;
const SEED: u64 = 0x5EED;
const MOST_FILES: usize = 50;
const MOST_BYTES: usize = 4096;
/// A target that needs longer hangs. It takes two seconds.
const PATIENCE: Duration = Duration::from_secs(60);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The corpus of a target by file name, in order.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = folder().join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// All that is needed to run the present input again.
type Present = Arc<Mutex<String>>;

fn run(target: &Target, present: &Present, origin: &str, input: &[u8]) {
    let told = format!("{} on {origin}, {} bytes: b\"{}\"", target.name, input.len(), input.escape_ascii());
    *present.lock().unwrap_or_else(PoisonError::into_inner) = told;
    (target.run)(input);
}

/// Runs all inputs of a target, each in turn, on a thread of its own, so that one that hangs is told as well.
fn check(name: &str) {
    let target = *TARGETS.iter().find(|target| target.name == name).unwrap();
    let (present, (done, wait)) = (Present::default(), channel());
    let running = thread::spawn({
        let present = present.clone();
        move || {
            let result = catch_unwind(AssertUnwindSafe(|| check_all(&target, &present)));
            let _ = done.send(());
            result.is_ok()
        }
    });
    let hangs = wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
    let is_fine = !hangs && running.join().unwrap_or(false);
    let told = present.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(is_fine, "{} {told}", if hangs { "hangs:" } else { "fails:" });
}

fn check_all(target: &Target, present: &Present) {
    let name = target.name;
    let files = corpus(name);
    assert!(!files.is_empty(), "{name} has no corpus");
    for (file, input) in &files {
        run(target, present, file, input);
    }
    let mut random = Random(SEED);
    for number in 0..CHANGED {
        let mut input = files[random.below(files.len())].1.clone();
        let other = &files[random.below(files.len())].1;
        for _ in 0..=random.below(4) {
            change(&mut random, &mut input, other);
        }
        input.truncate(MOST_BYTES);
        run(target, present, &format!("changed input {number} of seed {SEED:#x}"), &input);
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*

        #[test]
        fn every_target_has_a_test_a_small_corpus_and_a_binary() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
            let mut folders: Vec<String> = fs::read_dir(folder())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
                .collect();
            folders.sort();
            assert_eq!(folders, names);
            for name in names {
                let files = corpus(name);
                assert!((1..=MOST_FILES).contains(&files.len()), "{name} has {} files", files.len());
                for (file, input) in files {
                    assert!(input.len() <= MOST_BYTES, "{name}/{file} has {} bytes", input.len());
                }
                let binary = folder().join(format!("../libfuzzer/fuzz_targets/{name}.rs"));
                assert!(fs::read_to_string(binary).unwrap().contains(&format!("fuzz::{name}::run(data)")));
            }
        }
    };
}

targets! { envelope json_decode mux pdl pipe_reader selector ws_reader }

/// Changes an input in one place.
fn change(random: &mut Random, input: &mut Vec<u8>, other: &[u8]) {
    const INTERESTING: &[u8] = b"\"\\{}[]:, 0\n#\x00\x01\x7e\x7f\x80\x81\x88\xc3\xed\xff";
    let at = random.below(input.len() + 1);
    let end = (at + random.below(16)).min(input.len());
    match random.below(7) {
        0 => input.truncate(at),
        1 => input.insert(at, INTERESTING[random.below(INTERESTING.len())]),
        2 => input.insert(at, random.below(256) as u8),
        3 => drop(input.drain(at..end)),
        4 if at < input.len() => input[at] ^= 1 << random.below(8),
        5 => {
            let from = random.below(other.len() + 1);
            input.splice(at..end, other[from..].iter().copied());
        }
        _ => {
            let piece = input[at..end].to_vec();
            let to = random.below(input.len() + 1);
            input.splice(to..to, piece);
        }
    }
}

/// SplitMix: enough to spread over inputs, and repeatable.
struct Random(u64);

impl Random {
    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }
}

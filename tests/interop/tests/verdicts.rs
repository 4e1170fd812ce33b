//! libcuzk's verifiers answer as the published ones for every input: true, false
//! or an error. Mutated statements of the golden sectors, until the first
//! difference.
//!
//! `CUZK_VERDICT_CASES` is how many (5,000 unless set), `CUZK_TEST_SEED` repeats a
//! run, and `CUZK_VERDICT_CASE` with it repeats one case.

use cuzk_interop::{
    mutate,
    verdicts::{Originals, Statement, Verdict},
};
use rand::{rngs::StdRng, Rng, SeedableRng};
use std::{collections::BTreeMap, env};

#[test]
fn verdicts_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let from = Originals::read(folder.path()).unwrap();
    // Panics of the published crates are answers here.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = std::panic::catch_unwind(|| compare(&from));
    std::panic::set_hook(hook);
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(difference)) => panic!("{difference}"),
        Err(payload) => std::panic::resume_unwind(payload),
    }
}

fn compare(from: &Originals) -> Result<(), String> {
    let set = |name: &str| env::var(name).ok().map(|v| v.parse::<u64>().expect(name));
    let seed = set("CUZK_TEST_SEED").unwrap_or_else(|| rand::thread_rng().gen());
    let cases = set("CUZK_VERDICT_CASES").unwrap_or(5000);
    println!("verdicts: {cases} cases, CUZK_TEST_SEED={seed}");
    let range = match set("CUZK_VERDICT_CASE") {
        Some(one) => one..one + 1,
        None => 0..cases,
    };
    let mut tally: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for i in range {
        let mut rng = StdRng::seed_from_u64(seed ^ i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (statement, said) = mutate::case(from, &mut rng);
        let (theirs, ours) = (statement.published(), statement.own());
        if !theirs.same(&ours) {
            return Err(format!(
                "case {i} of seed {seed}, {} with {said:#?}\npublished: {theirs:?}\nlibcuzk:   {ours:?}\n{}",
                statement.name(),
                details(&statement)
            ));
        }
        if said.is_empty() && !matches!(theirs, Verdict::True) && !matches!(statement, Statement::Batch(_)) {
            return Err(format!("an original does not hold: {statement:?}, {theirs:?}, {ours:?}"));
        }
        let class = match theirs {
            Verdict::True => 0,
            Verdict::False => 1,
            Verdict::Error(_) => 2,
        };
        tally.entry(statement.name()).or_default()[class] += 1;
    }
    for (call, [yes, no, error]) in tally {
        println!("verdicts: {call}: {yes} true, {no} false, {error} errors");
    }
    Ok(())
}

/// A statement short enough to read.
fn details(s: &Statement) -> String {
    let text = format!("{s:?}");
    text.chars().take(6000).collect()
}

//! The calls with the published names share one engine, which opens once.
#![cfg(feature = "filecoin")]

mod common;

use common::sector;
use cuzk::{filecoin, Code, Options};

#[test]
fn one_engine_and_typed_errors() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    options.params_dir = Some("\0".into());
    assert_eq!(filecoin::open(&options).unwrap_err().code, Code::Argument);
    options.params_dir = Some(folder.path().into());
    filecoin::open(&options).unwrap(); // the failure before was not remembered
    assert_eq!(filecoin::open(&options).unwrap_err().code, Code::Conflict);

    let s = sector();
    let c1: serde_json::Value = serde_json::from_slice(&s.c1).unwrap();
    let prove = |number: u64| filecoin::seal::seal_commit_phase2(&c1, s.info.prover_id, number);
    assert_eq!(prove(101).unwrap_err().code, Code::SrsMissing);
    assert_eq!(prove(102).unwrap_err().code, Code::InputMismatch);

    let verify = |name: &str| {
        let i = &s.info;
        filecoin::seal::verify_seal(
            name,
            i.comm_r,
            i.comm_d,
            i.prover_id,
            i.sector_number,
            i.ticket,
            i.seed,
            &[0; 192],
        )
    };
    assert_eq!(verify("StackedDrg1KiBV1_1").unwrap_err().code, Code::Argument);
    assert!(verify("StackedDrg2KiBV1_1").is_err(), "192 zero bytes are no proof");
}

#[test]
fn challenges_of_sectors_in_any_order() {
    use cuzk::filecoin::post::generate_fallback_sector_challenges as challenges;
    let id = [0; 32];
    let of = |proof: &str, sectors: &[u64]| challenges(proof, &[7; 32], sectors, id).unwrap();
    let ascending = of("StackedDrgWindow2KiBV1_2", &[3, 5, 9]);
    assert_eq!(ascending, of("StackedDrgWindow2KiBV1_2", &[9, 3, 5, 3]));
    assert_eq!(ascending.keys().copied().collect::<Vec<_>>(), [3, 5, 9]);
    // In the first version the place counts: of a sector that repeats, the last.
    assert_eq!(of("StackedDrgWindow2KiBV1", &[9, 3])[&3], of("StackedDrgWindow2KiBV1", &[3, 3])[&3]);
    assert_ne!(of("StackedDrgWindow2KiBV1", &[9, 3]), of("StackedDrgWindow2KiBV1", &[3, 9]));
}

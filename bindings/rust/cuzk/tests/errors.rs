//! Failing inputs: every error has its code, its text and its place.
//! No parameters are needed, because all of them end before proving starts.

mod common;

use common::{engine_in, golden, sector};
use common::{folder, unhex};
use cuzk::{Backend, Code, Engine, JobOptions, Kind, Options, ParamsRequest, UpdateInfo, UpdateRequest};
use std::ops::ControlFlow;

#[test]
fn options_are_checked() {
    let mut options = Options::default();
    options.params_dir = Some("a\0b".into());
    let error = Engine::open(&options).unwrap_err();
    assert_eq!((error.code, error.detail.as_str()), (Code::Argument, "options.params_dir"));
    assert_eq!(error.status, -10);
    assert_eq!(error.to_string(), "argument: NUL at byte 1 of options.params_dir (options.params_dir)");
}

#[test]
fn a_gpu_is_never_replaced_by_the_cpu() {
    let mut options = Options::default();
    options.backend = Backend::Cuda;
    match Engine::open(&options) {
        Ok(_) => {} // a machine with a GPU
        Err(error) => assert_eq!(error.code, Code::NoDevice, "{error}"),
    }
}

#[test]
fn malformed_c1_is_refused() {
    let empty = tempfile::tempdir().unwrap();
    let (engine, s) = (engine_in(empty.path()), sector());
    let trailing = [&s.c1[..], b"{}"].concat();
    let text = String::from_utf8(s.c1.clone()).unwrap();
    let unknown = text.replace("StackedDrg2KiBV1_1", "StackedDrg3KiBV1_1").into_bytes();
    let cases: [(&str, &[u8], &[Code]); 6] = [
        ("empty", &[], &[Code::InputSyntax, Code::Argument]),
        ("not JSON", b"\x00\xff", &[Code::InputSyntax]),
        ("a document of something else", b"{}", &[Code::InputSyntax, Code::InputValue]),
        ("truncated", &s.c1[..s.c1.len() / 2], &[Code::InputSyntax]),
        ("two documents", &trailing, &[Code::InputSyntax]),
        ("unknown proof", &unknown, &[Code::InputValue, Code::InputSyntax]),
    ];
    for (what, c1, codes) in cases {
        let error = engine.prove_porep(c1, s.info.sector_number, &s.info.prover_id).unwrap_err();
        assert!(codes.contains(&error.code), "{what}: {error}");
        assert!(error.message.len() > 5, "{what}: {error}");
    }
}

/// The text names the place: here the first sibling of the second challenge.
#[test]
fn a_changed_value_is_found_and_named() {
    let empty = tempfile::tempdir().unwrap();
    let (engine, s) = (engine_in(empty.path()), sector());
    let mut c1: serde_json::Value = serde_json::from_slice(&s.c1).unwrap();
    let node = c1
        .pointer_mut(
            "/vanilla_proofs/StackedDrg2KiBV1/0/1/comm_r_last_proof/data/Single/path/path/0/hashes/0/0",
        )
        .expect("a byte of a sibling");
    *node = (node.as_u64().unwrap() ^ 1).into();
    let c1 = serde_json::to_vec(&c1).unwrap();
    let error = engine.prove_porep(&c1, s.info.sector_number, &s.info.prover_id).unwrap_err();
    assert_eq!(error.code, Code::InputMismatch, "{error}");
    assert!(error.detail.starts_with("vanilla_proofs[0][1].comm_r_last_proof"), "{error}");
}

#[test]
fn another_sector_or_prover_is_refused() {
    let empty = tempfile::tempdir().unwrap();
    let (engine, s) = (engine_in(empty.path()), sector());
    for (number, prover) in [(102, s.info.prover_id), (101, cuzk::prover_id(1002))] {
        let error = engine.prove_porep(&s.c1, number, &prover).unwrap_err();
        assert_eq!(error.code, Code::InputMismatch, "{error}");
    }
}

#[test]
fn non_interactive_needs_the_srs_of_aggregation() {
    let empty = tempfile::tempdir().unwrap();
    let (engine, s) = (engine_in(empty.path()), golden("2k-ni", "c1.json.gz", 15));
    let error = engine.prove_porep(&s.c1, s.info.sector_number, &s.info.prover_id).unwrap_err();
    assert_eq!(error.code, Code::SrsMissing, "{error}");
    assert!(error.message.to_lowercase().contains("aggregat"), "{error}");
}

#[test]
fn missing_parameters_are_named() {
    let empty = tempfile::tempdir().unwrap();
    let (engine, s) = (engine_in(empty.path()), sector());
    let error = engine.prove_porep(&s.c1, s.info.sector_number, &s.info.prover_id).unwrap_err();
    assert_eq!(error.code, Code::SrsMissing, "{error}");
    assert!(error.message.contains("v28-stacked-proof-of-replication"), "{error}");
    let error = engine.verify_porep(&s.info, &[0; 192]).unwrap_err();
    assert!(matches!(error.code, Code::SrsMissing | Code::ProofMalformed), "{error}");
}

#[test]
fn parameters_of_unknown_size_are_refused() {
    let empty = tempfile::tempdir().unwrap();
    let request = ParamsRequest {
        kind: Kind::Porep,
        sector_size: 2047,
        length: 0,
        dir: None,
        seed_label: None,
        job: JobOptions::default(),
    };
    let error = engine_in(empty.path()).make_params(&request, |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error.code, Code::Unsupported, "{error}");
    assert!(error.message.contains("2047"), "{error}");
    assert_eq!(std::fs::read_dir(empty.path()).unwrap().count(), 0, "something was written");
}

/// Old and new replica exchanged, and partitions missing: found before proving.
#[test]
fn updates_are_checked() {
    let empty = tempfile::tempdir().unwrap();
    let (engine, dir) = (engine_in(empty.path()), folder("2k-v1_1"));
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.join("update.json")).unwrap()).unwrap();
    let field = |name: &str| unhex(json[name].as_str().unwrap());
    let info = UpdateInfo {
        registered_proof: 0,
        comm_r_old: field("comm_r_old"),
        comm_r_new: field("comm_r_new"),
        comm_d_new: field("comm_d_new"),
    };
    let vanilla = std::fs::read(dir.join("update-0.vanilla")).unwrap();
    let prove = |info, vanilla_proofs| {
        engine.prove_update(&UpdateRequest { info, vanilla_proofs, job: JobOptions::default() }).unwrap_err()
    };

    assert_eq!(prove(info, vec![&vanilla]).code, Code::SrsMissing, "nothing is wrong but the parameters");
    let swapped = UpdateInfo { comm_r_old: info.comm_r_new, comm_r_new: info.comm_r_old, ..info };
    let error = prove(swapped, vec![&vanilla]);
    assert_eq!(error.code, Code::InputMismatch, "{error}");
    for partitions in [vec![], vec![&vanilla[..], &vanilla]] {
        let error = prove(info, partitions);
        assert_eq!(error.code, Code::InputValue, "{error}");
    }
    let error = prove(info, vec![&vanilla[1..]]);
    assert!(matches!(error.code, Code::InputSyntax | Code::InputValue), "{error}");
    let trailing = [&vanilla[..], b"\0"].concat();
    assert_eq!(prove(info, vec![&trailing]).code, Code::InputSyntax);
}

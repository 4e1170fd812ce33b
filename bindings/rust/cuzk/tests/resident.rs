//! What a resident engine offers beside proofs. No parameters are needed.

mod common;

use common::{engine_in, sector, Golden};
use cuzk::{Code, JobOptions, Kind, PorepRequest, Priority};
use std::time::Duration;

fn request(s: &Golden, job: JobOptions) -> PorepRequest<'_> {
    let (sector_number, prover_id) = (s.info.sector_number, s.info.prover_id);
    PorepRequest { c1: &s.c1, sector_number, prover_id, circuit_proofs: false, job }
}

#[test]
fn an_engine_shows_what_it_does() {
    let empty = tempfile::tempdir().unwrap();
    let engine = engine_in(empty.path());
    let s = sector();
    let job = engine.submit_porep(&request(&s, JobOptions::default())).unwrap();
    assert_eq!(job.wait().unwrap_err().code, Code::SrsMissing);

    let status: serde_json::Value = serde_json::from_str(&engine.status().unwrap()).unwrap();
    assert!(status.is_object(), "{status}");
    let metrics = engine.metrics().unwrap();
    assert!(metrics.lines().any(|l| l.starts_with("# TYPE cuzk_")), "{metrics}");
    let trace: serde_json::Value = serde_json::from_str(&engine.trace().unwrap()).unwrap();
    assert!(trace["traceEvents"].is_array(), "{trace}");
    let report: serde_json::Value = serde_json::from_str(&job.report().unwrap()).unwrap();
    assert_eq!((&report["kind"], &report["state"]), (&"porep".into(), &"failed".into()), "{report}");
}

#[test]
fn a_key_stands_for_one_request() {
    let empty = tempfile::tempdir().unwrap();
    let engine = engine_in(empty.path());
    let s = sector();
    let mut options = JobOptions::default();
    options.key = Some("sector 101".into());
    options.priority = Priority::High;
    let first = engine.submit_porep(&request(&s, options.clone())).unwrap();
    let other = PorepRequest { sector_number: 102, ..request(&s, options.clone()) };
    match engine.submit_porep(&other) {
        Err(e) => assert_eq!(e.code, Code::Conflict, "{e}"),
        // The first has failed already, and a failure frees its key.
        Ok(_) => assert_eq!(first.wait_timeout(Duration::ZERO).unwrap_err().code, Code::SrsMissing),
    }
    options.key = Some("a\0b".into());
    let error = engine.submit_porep(&request(&s, options)).unwrap_err();
    assert_eq!((error.code, error.detail.as_str()), (Code::Argument, "job.key"));
}

#[test]
fn parameters_load_and_go() {
    let empty = tempfile::tempdir().unwrap();
    let engine = engine_in(empty.path());
    let error = engine.submit_load(Kind::WindowPost, 2048).unwrap().join().unwrap_err();
    assert_eq!(error.code, Code::SrsMissing, "{error}");
    assert_eq!(engine.evict_all_params().unwrap(), 0);
}

#[test]
fn a_drained_engine_takes_no_more() {
    let empty = tempfile::tempdir().unwrap();
    let engine = engine_in(empty.path());
    assert!(engine.drain(Some(Duration::from_secs(60))).unwrap());
    let s = sector();
    let error = engine.prove_porep(&s.c1, s.info.sector_number, &s.info.prover_id).unwrap_err();
    assert_eq!(error.code, Code::Closed, "{error}");
}

//! What an engine does apart from proving. No parameters are needed.

mod common;

use common::{engine_in, sector, Golden};
use cuzk::{
    Backend, Code, FixtureRequest, JobOptions, Kind, MeasureRequest, Part, PorepRequest, Priority, Snapshot,
};
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

#[test]
fn a_snapshot_counts_jobs() {
    let empty = tempfile::tempdir().unwrap();
    let engine = engine_in(empty.path());
    let error = engine.submit_load(Kind::WindowPost, 2048).unwrap().join().unwrap_err();
    assert_eq!(error.code, Code::SrsMissing, "{error}");
    let s: Snapshot = engine.snapshot().unwrap();
    assert_eq!((s.backend, s.jobs_failed, s.jobs_running), (Backend::Cpu, 1, 0), "{s:?}");
    assert!(s.threads > 0 && s.limit.host > 0 && s.devices.is_empty(), "{s:?}");
}

#[test]
fn a_witness_needs_no_parameters() {
    let empty = tempfile::tempdir().unwrap();
    let engine = engine_in(empty.path());
    let (dir, job) = (empty.path().to_owned(), JobOptions::default());
    let request = FixtureRequest { kind: Kind::Porep, sector_size: 2048, seed: 4, sectors: 0, dir, job };
    let path = engine.submit_fixture(&request).unwrap().join().unwrap();
    let text = std::fs::read(String::from_utf8(path).unwrap()).unwrap();
    let sector: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let c1 = std::fs::read(empty.path().join("c1.json")).unwrap();
    let mut job = JobOptions::default();
    job.witness_only = true;
    let porep = PorepRequest {
        c1: &c1,
        sector_number: sector["sector_number"].as_u64().unwrap(),
        prover_id: cuzk::prover_id(sector["miner_id"].as_u64().unwrap()),
        circuit_proofs: false,
        job,
    };
    assert!(engine.submit_porep(&porep).unwrap().join().unwrap().is_empty());
}

#[test]
fn measurements_take_time() {
    let empty = tempfile::tempdir().unwrap();
    let engine = engine_in(empty.path());
    let request = MeasureRequest { what: Part::Ntt, log2_size: 10, repeats: 3, job: JobOptions::default() };
    let times = engine.measure(&request).unwrap();
    assert_eq!(times.len(), 3);
    assert!(times.iter().all(|t| !t.is_zero()), "{times:?}");
    let error = engine.measure(&MeasureRequest { log2_size: 60, ..request }).unwrap_err();
    assert_eq!(error.code, Code::Argument, "{error}");
}

//! A 2 KiB proof as a job, from the golden C1 output. The blocking call is in
//! errors.rs, as far as it goes without parameters.

mod common;

use common::{engine_in, sector, test_params, Golden};
use cuzk::{Code, Engine, Job, JobOptions, Kind, ParamsRequest, PorepRequest};
use std::{
    fs,
    ops::ControlFlow,
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

/// What all tests here share, because a proof takes a while.
struct Proved {
    engine: Engine,
    proof: Vec<u8>,
    stages: Vec<String>, // what a waiter saw, in order
    report: String,
}

/// One engine and one proof of [`sector`], made by a job; parameters are made when
/// they are missing.
fn proved() -> &'static Proved {
    static PROVED: OnceLock<Proved> = OnceLock::new();
    PROVED.get_or_init(|| {
        let dir = test_params();
        fs::create_dir_all(&dir).unwrap();
        let engine = engine_in(&dir);
        prove(&engine)
            .or_else(|e| {
                assert_eq!(e.code, Code::SrsMissing, "{e}");
                let seed_label = Some("golden".into());
                let request = ParamsRequest {
                    kind: Kind::Porep,
                    sector_size: 2048,
                    length: 0,
                    dir: Some(dir.clone()),
                    seed_label,
                    job: JobOptions::default(),
                };
                engine.make_params(&request, |_| ControlFlow::Continue(()))?;
                prove(&engine)
            })
            .map(|(proof, stages, report)| Proved { engine, proof, stages, report })
            .unwrap_or_else(|e| panic!("{e}"))
    })
}

fn prove(engine: &Engine) -> cuzk::Result<(Vec<u8>, Vec<String>, String)> {
    let s = sector();
    let job = engine.submit_porep(&request(&s))?;
    let mut stages = Vec::new();
    job.wait_with(|p| {
        stages.push(p.stage.to_owned());
        ControlFlow::Continue(())
    })?;
    let report = job.report()?;
    Ok((job.join()?, stages, report))
}

fn engine() -> &'static Engine {
    &proved().engine
}

fn request(s: &Golden) -> PorepRequest<'_> {
    let (sector_number, prover_id) = (s.info.sector_number, s.info.prover_id);
    PorepRequest { c1: &s.c1, sector_number, prover_id, circuit_proofs: false, job: JobOptions::default() }
}

#[test]
fn a_proof_verifies_for_its_sector_only() {
    let (s, Proved { engine, proof, .. }) = (sector(), proved());
    assert_eq!(proof.len(), 192);
    assert!(engine.verify_porep(&s.info, proof).unwrap());

    let mut other = s.info.clone();
    other.seed[0] ^= 1;
    assert!(!engine.verify_porep(&other, proof).unwrap());
    let swapped = [&proof[144..], &proof[48..144], &proof[..48]].concat();
    assert!(!engine.verify_porep(&s.info, &swapped).unwrap(), "A and C swapped");
}

#[test]
fn bytes_that_are_no_proof_are_an_error() {
    let s = sector();
    for proof in [&[][..], &[0; 191], &[0; 193], &[0; 192], &[0xff; 192]] {
        let error = engine().verify_porep(&s.info, proof).unwrap_err();
        assert_eq!(error.code, Code::ProofMalformed, "{} bytes: {error}", proof.len());
    }
}

#[test]
fn a_job_tells_what_it_does() {
    let Proved { stages, report, .. } = proved();
    assert!(!stages.is_empty(), "no progress was reported");
    let report: serde_json::Value = serde_json::from_str(report).unwrap();
    assert_eq!(report["state"], "done", "{report}");
}

#[test]
fn a_job_can_be_waited_for_in_slices_and_cancelled() {
    let s = sector();
    let job = engine().submit_porep(&request(&s)).unwrap();
    assert!(!job.wait_timeout(Duration::from_millis(1)).unwrap(), "a proof within a millisecond");
    assert_eq!(job.result().unwrap_err().code, Code::Busy);
    assert!(job.cancel().unwrap());
    assert_eq!(job.wait().unwrap_err().code, Code::Cancelled);
    assert!(!job.cancel().unwrap(), "it had ended before");
    assert_eq!(job.join().unwrap_err().code, Code::Cancelled);
}

/// A job that is stopped in the midst of its one long partition.
#[test]
fn a_job_stops_within_five_seconds_and_gives_its_memory_back() {
    let s = sector();
    let job = engine().submit_porep(&request(&s)).unwrap();
    let (mut looks, mut stopped) = (0, None);
    let error = job
        .wait_with(|p| {
            looks += u32::from(p.stage == "prove");
            if looks < 10 || stopped.is_some() {
                return ControlFlow::Continue(());
            }
            stopped = Some(Instant::now());
            ControlFlow::Break(())
        })
        .unwrap_err();
    assert_eq!(error.code, Code::Cancelled, "{error}");
    let stopped = stopped.unwrap();
    while engine().status().unwrap().contains("\"partition\"") {
        assert!(stopped.elapsed() < Duration::from_secs(5));
    }
    assert!(stopped.elapsed() < Duration::from_secs(5));
}

/// Who waits when the engine goes is woken.
#[test]
fn closing_wakes_every_waiter() {
    let s = sector();
    engine(); // the parameters are there
    let engine = engine_in(&test_params());
    let jobs: Vec<_> = (0..3).map(|_| engine.submit_porep(&request(&s)).unwrap()).collect();
    thread::scope(|scope| {
        for job in &jobs {
            scope.spawn(|| assert_eq!(job.wait().unwrap_err().code, Code::Closed));
        }
        thread::sleep(Duration::from_millis(200));
        drop(engine);
    });
}

/// Engines and jobs go where they are needed.
#[test]
fn threads_share_an_engine() {
    fn shareable<T: Send + Sync>() {}
    shareable::<Engine>();
    shareable::<Job>();
    let (s, Proved { engine, proof, .. }) = (sector(), proved());
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert!(engine.verify_porep(&s.info, proof).unwrap()));
        }
    });
}

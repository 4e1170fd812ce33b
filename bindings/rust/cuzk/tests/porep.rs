//! A 2 KiB proof, blocking and as a job, from the golden C1 output.

mod common;

use common::{engine_in, golden, sector, test_params, Golden};
use cuzk::{Code, Engine, Job, Kind, ParamsRequest};
use std::{fs, ops::ControlFlow, sync::OnceLock, thread, time::Duration};

/// One engine for all tests here; its parameters are made when they are missing.
fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let dir = test_params();
        fs::create_dir_all(&dir).unwrap();
        let engine = engine_in(&dir);
        let s = sector();
        match engine.prove_porep(&s.c1, s.info.sector_number, &s.info.prover_id) {
            Err(e) if e.code == Code::SrsMissing => {
                let label = Some("golden".into());
                let request =
                    ParamsRequest { kind: Kind::Porep, sector_size: 2048, dir: None, seed_label: label };
                engine.make_params(&request, |_| ControlFlow::Continue(())).unwrap();
            }
            proof => assert_eq!(proof.unwrap().len(), 192),
        }
        engine
    })
}

fn prove(s: &Golden) -> Vec<u8> {
    engine().prove_porep(&s.c1, s.info.sector_number, &s.info.prover_id).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_proof_verifies_for_its_sector_only() {
    let s = sector();
    let proof = prove(&s);
    assert_eq!(proof.len(), 192);
    assert!(engine().verify_porep(&s.info, &proof).unwrap());

    let mut other = s.info.clone();
    other.seed[0] ^= 1;
    assert!(!engine().verify_porep(&other, &proof).unwrap());
    let swapped = [&proof[144..], &proof[48..144], &proof[..48]].concat();
    assert!(!engine().verify_porep(&s.info, &swapped).unwrap(), "A and C swapped");
}

#[test]
fn bytes_that_are_no_proof_are_an_error() {
    let s = sector();
    for proof in [&[][..], &[0; 191], &[0; 193], &[0; 192], &[0xff; 192]] {
        let error = engine().verify_porep(&s.info, proof).unwrap_err();
        assert_eq!(error.code, Code::ProofMalformed, "{} bytes: {error}", proof.len());
    }
}

/// The other versions share circuit and parameters.
#[test]
fn v1_and_synthetic() {
    for s in [golden("2k-v1", "c1-0.json", 0), golden("2k-synthetic", "c1.json", 10)] {
        assert!(engine().verify_porep(&s.info, &prove(&s)).unwrap());
    }
}

#[test]
fn a_job_delivers_the_proof() {
    let s = sector();
    let job = engine().submit_porep(&s.c1, s.info.sector_number, &s.info.prover_id).unwrap();
    let mut seen = Vec::new();
    job.wait_with(|p| {
        seen.push(p.stage.to_owned());
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(!seen.is_empty(), "no progress was reported");
    let report: serde_json::Value = serde_json::from_str(&job.report().unwrap()).unwrap();
    assert_eq!(report["state"], "done", "{report}");
    let proof = job.join().unwrap();
    assert!(engine().verify_porep(&s.info, &proof).unwrap());
}

#[test]
fn a_job_can_be_waited_for_in_slices_and_cancelled() {
    let s = sector();
    let job = engine().submit_porep(&s.c1, s.info.sector_number, &s.info.prover_id).unwrap();
    assert!(!job.wait_timeout(Duration::from_millis(1)).unwrap(), "a proof within a millisecond");
    assert_eq!(job.result().unwrap_err().code, Code::Busy);
    job.cancel().unwrap();
    assert_eq!(job.wait().unwrap_err().code, Code::Cancelled);
    assert_eq!(job.join().unwrap_err().code, Code::Cancelled);
}

/// Engines and jobs go where they are needed.
#[test]
fn threads_share_an_engine() {
    fn shareable<T: Send + Sync>() {}
    shareable::<Engine>();
    shareable::<Job>();
    let s = sector();
    let proof = prove(&s);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert!(engine().verify_porep(&s.info, &proof).unwrap()));
        }
    });
}

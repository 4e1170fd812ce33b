//! WindowPoSt of three golden sectors: whole, as a job, and partition by
//! partition. The circuit is small enough for parameters of this test alone.

mod common;

use common::{engine_in, folder, unhex};
use cuzk::{Code, Engine, JobOptions, Kind, ParamsRequest, PostInfo, PostRequest, PostSector};
use serde_json::Value;
use std::{fs, ops::ControlFlow, sync::OnceLock};
use tempfile::TempDir;

/// The three sectors of golden/sectors/2k-window3.
struct Window {
    info: PostInfo,
    vanilla: Vec<Vec<u8>>,
}

impl Window {
    fn golden() -> Self {
        let dir = folder("2k-window3");
        let json: Value = serde_json::from_slice(&fs::read(dir.join("window_post.json")).unwrap()).unwrap();
        assert_eq!(json["registered_post_proof"], "StackedDrgWindow2KiBV1_2");
        let hex = |v: &Value| unhex(v.as_str().unwrap());
        let sectors = json["sectors"].as_array().unwrap();
        let sector = |s: &Value| PostSector {
            sector_number: s["sector_number"].as_u64().unwrap(),
            comm_r: hex(&s["comm_r"]),
        };
        let vanilla = |s: &Value| fs::read(dir.join(s["file"].as_str().unwrap())).unwrap();
        Window {
            info: PostInfo {
                registered_proof: 10,
                randomness: hex(&json["randomness"]),
                prover_id: hex(&json["prover_id"]),
                sectors: sectors.iter().map(sector).collect(),
                partition: None,
            },
            vanilla: sectors.iter().map(vanilla).collect(),
        }
    }

    /// The request for all sectors, or for those of one partition of two.
    fn request(&self, partition: Option<u32>) -> PostRequest<'_> {
        let all: Vec<&[u8]> = self.vanilla.iter().map(Vec::as_slice).collect();
        PostRequest {
            registered_proof: self.info.registered_proof,
            randomness: self.info.randomness,
            prover_id: self.info.prover_id,
            vanilla_proofs: partition.map_or(all.clone(), |k| all.chunks(2).nth(k as usize).unwrap().into()),
            partition,
            job: JobOptions::default(),
        }
    }
}

/// One engine for all tests here, with parameters of its own.
fn engine() -> &'static Engine {
    static ENGINE: OnceLock<(Engine, TempDir)> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine_in(folder.path());
        let request = ParamsRequest {
            kind: Kind::WindowPost,
            sector_size: 2048,
            length: 0,
            dir: Some(folder.path().into()),
            seed_label: None,
            job: JobOptions::default(),
        };
        engine.make_params(&request, |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{e}"));
        (engine, folder)
    };
    &ENGINE.get_or_init(make).0
}

#[test]
fn whole_and_by_partition() {
    let w = Window::golden();
    let whole = engine().prove_post(&w.request(None)).unwrap();
    assert_eq!(whole.len(), 2 * 192);
    assert!(engine().verify_post(&w.info, &whole).unwrap());

    let parts: Vec<Vec<u8>> =
        (0..2).map(|k| engine().submit_post(&w.request(Some(k))).unwrap().join().unwrap()).collect();
    for (k, part) in parts.iter().enumerate() {
        let sectors = w.info.sectors.chunks(2).nth(k).unwrap().to_vec();
        let info = PostInfo { sectors, partition: Some(k as u32), ..w.info.clone() };
        assert!(engine().verify_post(&info, part).unwrap(), "partition {k}");
    }
    let merged = cuzk::merge_post(10, &[&parts[0], &parts[1]]).unwrap();
    assert_eq!(merged, parts.concat());
    assert!(engine().verify_post(&w.info, &merged).unwrap());
    let swapped = cuzk::merge_post(10, &[&parts[1], &parts[0]]).unwrap();
    assert!(!engine().verify_post(&w.info, &swapped).unwrap());
}

#[test]
fn other_statements_are_not_proved() {
    let w = Window::golden();
    let proof = engine().prove_post(&w.request(None)).unwrap();
    let mut other = w.info.clone();
    other.randomness[0] ^= 1;
    assert!(!engine().verify_post(&other, &proof).unwrap());
    let mut other = w.info.clone();
    other.sectors[1].comm_r[0] ^= 1;
    assert!(!engine().verify_post(&other, &proof).unwrap());
}

#[test]
fn failing_inputs_are_named() {
    let w = Window::golden();
    let fails = |change: &dyn Fn(&mut PostRequest<'_>)| {
        let mut request = w.request(None);
        change(&mut request);
        engine().prove_post(&request).unwrap_err()
    };
    let error = fails(&|r| r.randomness[0] ^= 1);
    assert_eq!(error.code, Code::InputMismatch, "{error}");
    let error = fails(&|r| r.vanilla_proofs.swap(0, 1));
    assert!(matches!(error.code, Code::InputValue | Code::InputMismatch), "{error}");
    let error = fails(&|r| r.vanilla_proofs[1] = b"");
    assert_eq!(error.code, Code::InputSyntax, "{error}");
    assert!(error.detail.contains("[1]"), "{error}");
    let error = fails(&|r| r.vanilla_proofs.clear());
    assert!(matches!(error.code, Code::Argument | Code::InputValue), "{error}");
    let error = fails(&|r| r.registered_proof = 15);
    assert!(matches!(error.code, Code::Argument | Code::InputValue), "{error}");
    let error = cuzk::merge_post(10, &[&[0; 191]]).unwrap_err();
    assert_eq!(error.code, Code::ProofMalformed, "{error}");
}

/// The golden inputs name the challenged nodes; no engine is needed for these.
#[test]
fn challenges_are_the_golden_ones() {
    let w = Window::golden();
    let json = fs::read(folder("2k-window3").join("window_post.json")).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let sectors = json["sectors"].as_array().unwrap().iter();
    let golden: Vec<Vec<u64>> =
        sectors.map(|s| serde_json::from_value(s["challenges"].clone()).unwrap()).collect();
    let numbers: Vec<u64> = w.info.sectors.iter().map(|s| s.sector_number).collect();
    assert_eq!(cuzk::post_challenges(10, &w.info.randomness, &numbers).unwrap(), golden);
    assert_eq!(cuzk::post_challenges(0, &w.info.randomness, &numbers[..1]).unwrap()[0].len(), 66);

    assert_eq!(cuzk::post_partitions(10, 3).unwrap(), 2);
    assert!(cuzk::post_winner(0, &w.info.randomness, &w.info.prover_id, 10).unwrap() < 10);
    for error in [
        cuzk::post_winner(0, &w.info.randomness, &w.info.prover_id, 0).unwrap_err(),
        cuzk::post_partitions(0, 3).unwrap_err(),
        cuzk::post_challenges(15, &w.info.randomness, &numbers).unwrap_err(),
    ] {
        assert!(matches!(error.code, Code::Argument | Code::InputValue), "{error}");
    }
}

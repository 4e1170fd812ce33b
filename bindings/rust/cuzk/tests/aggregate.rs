//! A golden seal proof becomes the golden aggregate.

mod common;

use common::{engine_in, folder, unhex};
use cuzk::{
    prover_id, AggregateInfo, AggregateRequest, AggregateSector, Code, JobOptions, Kind, ParamsRequest,
    SnarkPack,
};
use serde_json::Value;
use std::{env, fs, ops::ControlFlow, path::PathBuf, process};

fn golden() -> PathBuf {
    folder("..").join("snarkpack")
}

/// The sector 2k-v1_1-0 and its proof.
fn sector() -> (AggregateInfo, Vec<u8>) {
    let text = fs::read(golden().join("sectors/2k-v1_1-0.json")).unwrap();
    let s: Value = serde_json::from_slice(&text).unwrap();
    let field = |name: &str| unhex(s[name].as_str().unwrap());
    let proof = s["proof"].as_str().unwrap();
    let proof = (0..proof.len() / 2).map(|i| u8::from_str_radix(&proof[2 * i..2 * i + 2], 16).unwrap());
    let info = AggregateInfo {
        registered_proof: 5,
        version: SnarkPack::V2,
        prover_id: prover_id(s["miner_id"].as_u64().unwrap()),
        sectors: vec![AggregateSector {
            sector_number: s["sector_number"].as_u64().unwrap(),
            comm_r: field("comm_r"),
            comm_d: field("comm_d"),
            ticket: field("ticket"),
            seed: field("seed"),
        }],
    };
    (info, proof.collect())
}

#[test]
fn golden_aggregate() {
    let dir = env::temp_dir().join(format!("cuzk-aggregate-{}", process::id()));
    fs::create_dir_all(&dir).unwrap();
    let vk = "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-\
              032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f.vk";
    fs::copy(golden().join("../vk/porep-2048.vk"), dir.join(vk)).unwrap();
    let engine = engine_in(&dir);
    let srs = ParamsRequest {
        kind: Kind::Aggregate,
        sector_size: 0,
        length: 4,
        dir: Some(dir.clone()),
        seed_label: Some("golden".into()),
        job: JobOptions::default(),
    };
    engine.make_params(&srs, |_| ControlFlow::Continue(())).unwrap();

    let want = fs::read(golden().join("cases/2k-v1_1-n1-V2.bin")).unwrap();
    let (info, proof) = sector();
    let mut request = AggregateRequest {
        info: info.clone(),
        proofs: vec![&proof],
        commitments_only: false,
        job: JobOptions::default(),
    };
    assert_eq!(engine.aggregate(&request).unwrap(), want);
    request.commitments_only = true;
    let job = engine.submit_aggregate(&request).unwrap();
    job.wait().unwrap();
    assert_eq!(job.result().unwrap(), want);

    assert!(engine.verify_aggregate(&info, &want).unwrap());
    let other = AggregateInfo { version: SnarkPack::V1, ..info.clone() };
    assert!(!engine.verify_aggregate(&other, &want).unwrap());
    let claims: [(&AggregateInfo, &[u8]); 3] = [(&info, &want), (&other, &want), (&info, &want[..9])];
    let verdicts = engine.verify_aggregates(&claims).unwrap();
    assert_eq!(verdicts, [Ok(()), Err(Code::ProofInvalid), Err(Code::ProofMalformed)]);
    assert_eq!(engine.verify_aggregates(&[]).unwrap(), []);

    request.commitments_only = false;
    request.info.sectors[0].sector_number += 1;
    assert_eq!(engine.aggregate(&request).unwrap_err().code, Code::ProofInvalid);
    request.proofs.clear();
    assert_eq!(engine.aggregate(&request).unwrap_err().code, Code::InputValue);
    fs::remove_dir_all(&dir).unwrap();
}

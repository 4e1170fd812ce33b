//! libcuzk proves with parameters that bellperson made, for the smallest circuit.

use cuzk::filecoin;
use cuzk_interop::{cache, post::Post, reference, sector, sector::Sector};
use filecoin_proofs_api::{RegisteredPoStProof, RegisteredSealProof};
use std::{fs, time::Instant};

/// The published crates make the 2 KiB WindowPoSt parameters under the official
/// name; libcuzk finds them there and proves; the published verifier accepts,
/// with the verifying key that it made itself.
#[test]
fn window_post_with_parameters_of_bellperson() {
    let folder = tempfile::tempdir().unwrap();
    cache::enter(folder.path()).unwrap();
    let proof = RegisteredPoStProof::StackedDrgWindow2KiBV1_2;
    let start = Instant::now();
    let file = reference::post_params(proof).unwrap();
    println!("bellperson needed {:.1} s", start.elapsed().as_secs_f64());
    assert!(file.starts_with(folder.path()));
    let golden = include_str!("../../golden/params/window_post-2048.json");
    let golden: serde_json::Value = serde_json::from_str(golden).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().len(), golden["params_bytes"].as_u64().unwrap());

    let mut rng = sector::printed_rng("bellperson's parameters");
    let sealed = Sector::seal(RegisteredSealProof::StackedDrg2KiBV1_1, 1000, &mut rng).unwrap();
    let p = Post::challenge(proof, &[sealed], &mut rng).unwrap();
    let made =
        filecoin::post::generate_window_post_with_vanilla(proof, &p.randomness, p.prover_id, &p.vanilla)
            .unwrap();
    assert!(p.published_verdict(&made[0].1).unwrap(), "the published verifier rejects the proof");
}

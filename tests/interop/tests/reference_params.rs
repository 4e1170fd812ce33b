//! Parameters that bellperson made, for the smallest circuit.

use cuzk_interop::{cache, reference};
use filecoin_proofs_api::RegisteredPoStProof;
use std::{fs, time::Instant};

/// The published crates make the 2 KiB WindowPoSt parameters under the official
/// name; the file has the length that the layout demands.
#[test]
fn bellperson_makes_window_post_parameters() {
    let folder = tempfile::tempdir().unwrap();
    cache::enter(folder.path()).unwrap();
    let start = Instant::now();
    let file = reference::post_params(RegisteredPoStProof::StackedDrgWindow2KiBV1_2).unwrap();
    println!("bellperson needed {:.1} s", start.elapsed().as_secs_f64());
    assert!(file.starts_with(folder.path()));
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../../golden/params/window_post-2048.json")).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().len(), golden["params_bytes"].as_u64().unwrap());
}

//! Golden inputs, and an engine with test parameters.
#![allow(dead_code)] // not every test uses everything

use cuzk::{prover_id, Engine, Options, PorepInfo};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
};

/// A golden sector: its C1 output and what the chain knows of it.
pub struct Golden {
    pub c1: Vec<u8>,
    pub info: PorepInfo,
}

/// Sector 0 of a folder of golden/sectors whose seal proof has this number.
pub fn golden(name: &str, c1: &str, registered_proof: i32) -> Golden {
    let dir = folder(name);
    let read = |file: &str| fs::read(dir.join(file)).unwrap_or_else(|e| panic!("{name}/{file}: {e}"));
    let unpacked = |file: &str| match file.ends_with(".gz") {
        false => read(file),
        true => {
            let mut text = Vec::new();
            GzDecoder::new(&read(file)[..]).read_to_end(&mut text).unwrap();
            text
        }
    };
    let chain: Value = serde_json::from_slice(&read("sector-0.json")).unwrap();
    let field = |name: &str| unhex(chain[name].as_str().unwrap());
    let info = PorepInfo {
        registered_proof,
        sector_number: chain["sector_number"].as_u64().unwrap(),
        prover_id: prover_id(chain["miner_id"].as_u64().unwrap()),
        comm_r: field("comm_r"),
        comm_d: field("comm_d"),
        ticket: field("ticket"),
        seed: field("seed"),
        circuit_proofs: false,
    };
    assert_eq!(info.prover_id, field("prover_id"));
    Golden { c1: unpacked(c1), info }
}

/// 2 KiB, V1_1.
pub fn sector() -> Golden {
    golden("2k-v1_1", "c1-0.json", 5)
}

/// A folder of golden/sectors.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/golden/sectors").join(name)
}

pub fn unhex(text: &str) -> [u8; 32] {
    assert_eq!(text.len(), 64);
    std::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
}

/// Where test parameters are kept between runs: `CUZK_TEST_PARAMS`, or `cuzk`
/// in the user's cache folder. Nothing relies on what lies there.
pub fn test_params() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set("CUZK_TEST_PARAMS").unwrap_or_else(|| {
        let home = || set("HOME").unwrap_or_else(|| "/root".into()).join(".cache");
        set("XDG_CACHE_HOME").unwrap_or_else(home).join("cuzk")
    })
}

/// An engine that finds its parameters in `dir`.
pub fn engine_in(dir: &Path) -> Engine {
    let mut options = Options::default();
    options.params_dir = Some(dir.to_owned());
    Engine::open(&options).unwrap_or_else(|e| panic!("{e}"))
}

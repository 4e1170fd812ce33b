//! Proves one sector: `prove_porep C1_JSON SECTOR_NUMBER MINER PARAMS_DIR PROOF`.

use cuzk::{prover_id, Engine, Options};
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [c1, sector, miner, params, out] = args.as_slice() else {
        return Err("usage: prove_porep C1_JSON SECTOR_NUMBER MINER PARAMS_DIR PROOF".into());
    };
    let mut options = Options::default();
    options.params_dir = Some(params.into());
    let engine = Engine::open(&options)?;
    let proof = engine.prove_porep(&fs::read(c1)?, sector.parse()?, &prover_id(miner.parse()?))?;
    fs::write(out, &proof)?;
    println!("{} bytes", proof.len());
    Ok(())
}

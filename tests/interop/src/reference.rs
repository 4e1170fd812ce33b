//! Parameters made by the published crates themselves, for circuits small enough.
//!
//! The 2 KiB WindowPoSt circuit is the smallest of Filecoin's; its file is 11 MB.
//! A PoRep circuit would take bellperson twenty minutes.

use anyhow::{bail, Context, Result};
use filecoin_proofs::{
    parameters::{window_post_public_params, winning_post_public_params},
    PoStType, SectorShape2KiB,
};
use filecoin_proofs_api::RegisteredPoStProof;
use rand::rngs::OsRng;
use std::path::PathBuf;
use storage_proofs_core::{api_version::ApiVersion, compound_proof::CompoundProof};
use storage_proofs_post::fallback::FallbackPoStCompound;

/// Has bellperson make random parameters for a 2 KiB PoSt circuit, unless they
/// exist, and returns the path of the `.params` file; the `.vk` lies beside it.
/// The folder is the process's parameter cache ([`crate::cache::enter`]).
pub fn post_params(proof: RegisteredPoStProof) -> Result<PathBuf> {
    if u64::from(proof.sector_size()) != 2048 {
        bail!("bellperson needs too long for the parameters of {proof:?}");
    }
    let config = proof.as_v1_config();
    let _: ApiVersion = proof.version();
    let public = match proof.typ() {
        PoStType::Window => window_post_public_params::<SectorShape2KiB>(&config)?,
        PoStType::Winning => winning_post_public_params::<SectorShape2KiB>(&config)?,
    };
    FallbackPoStCompound::<SectorShape2KiB>::groth_params(Some(&mut OsRng), &public)?;
    FallbackPoStCompound::<SectorShape2KiB>::verifying_key(Some(&mut OsRng), &public)?;
    proof.cache_params_path().context("the official name of the file")
}

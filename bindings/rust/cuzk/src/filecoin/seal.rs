//! Sealing: `filecoin_proofs_api::seal`.

use super::{engine, registered};
use crate::{Code, Error, PorepInfo, Result};
use serde::Serialize;

/// A seal proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealCommitPhase2Output {
    /// 192 bytes per partition.
    pub proof: Vec<u8>,
}

/// Turns a commit-phase-1 output into the seal proof.
///
/// Unlike the published function it checks the whole input before proving, and
/// so notices a wrong prover or sector at once rather than after the proof.
pub fn seal_commit_phase2(
    phase1_output: impl Serialize,
    prover_id: [u8; 32],
    sector_id: impl Into<u64>,
) -> Result<SealCommitPhase2Output> {
    let c1 = serde_json::to_vec(&phase1_output)
        .map_err(|e| Error::new(Code::Argument, "phase1_output", format!("phase1_output: {e}")))?;
    let proof = engine()?.prove_porep(&c1, sector_id.into(), &prover_id)?;
    Ok(SealCommitPhase2Output { proof })
}

/// Whether `proof_vec` proves that the sector was sealed as the commitments say.
#[allow(clippy::too_many_arguments)] // the published signature
pub fn verify_seal(
    registered_proof: impl Serialize,
    comm_r_in: [u8; 32],
    comm_d_in: [u8; 32],
    prover_id: [u8; 32],
    sector_id: impl Into<u64>,
    ticket: [u8; 32],
    seed: [u8; 32],
    proof_vec: &[u8],
) -> Result<bool> {
    let info = PorepInfo {
        registered_proof: registered::seal_proof(registered_proof)?,
        sector_number: sector_id.into(),
        prover_id,
        comm_r: comm_r_in,
        comm_d: comm_d_in,
        ticket,
        seed,
    };
    engine()?.verify_porep(&info, proof_vec)
}

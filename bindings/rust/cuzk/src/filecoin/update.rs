//! Empty-sector updates (SnapDeals): `filecoin_proofs_api::update`.
//!
//! Unlike the published functions those that prove check the vanilla proofs before
//! and the proof before it is returned, and refuse trailing bytes in vanilla
//! proofs. Functions that read sector files are not here: they belong to sealing.

use super::{engine, registered::update_proof, Commitment, EmptySectorUpdateProof, PartitionProofBytes};
use crate::{JobOptions, Result, UpdateInfo, UpdateRequest};
use serde::Serialize;

/// Turns the vanilla proofs of all partitions into the proof of the update.
pub fn generate_empty_sector_update_proof_with_vanilla(
    registered_proof: impl Serialize,
    vanilla_proofs: Vec<PartitionProofBytes>,
    comm_r_old: Commitment,
    comm_r_new: Commitment,
    comm_d_new: Commitment,
) -> Result<EmptySectorUpdateProof> {
    let info =
        UpdateInfo { registered_proof: update_proof(registered_proof)?, comm_r_old, comm_r_new, comm_d_new };
    let vanilla_proofs = vanilla_proofs.iter().map(|p| p.0.as_slice()).collect();
    engine()?
        .prove_update(&UpdateRequest { info, vanilla_proofs, job: JobOptions::default() })
        .map(EmptySectorUpdateProof)
}

/// Whether `proof` proves that the update was made as the commitments say.
pub fn verify_empty_sector_update_proof(
    registered_proof: impl Serialize,
    proof: &[u8],
    comm_r_old: Commitment,
    comm_r_new: Commitment,
    comm_d_new: Commitment,
) -> Result<bool> {
    let info =
        UpdateInfo { registered_proof: update_proof(registered_proof)?, comm_r_old, comm_r_new, comm_d_new };
    engine()?.verify_update(&info, proof)
}

/// Whether the vanilla proofs of all partitions hold. Needs no parameters.
pub fn verify_partition_proofs(
    registered_proof: impl Serialize,
    partition_proofs: &[PartitionProofBytes],
    comm_r_old: Commitment,
    comm_r_new: Commitment,
    comm_d_new: Commitment,
) -> Result<bool> {
    let info =
        UpdateInfo { registered_proof: update_proof(registered_proof)?, comm_r_old, comm_r_new, comm_d_new };
    let proofs: Vec<&[u8]> = partition_proofs.iter().map(|p| p.0.as_slice()).collect();
    engine()?.verify_update_vanilla(&info, &proofs)
}

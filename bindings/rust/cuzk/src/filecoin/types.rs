//! Argument and result types under their published names. The published ones
//! hide their fields or cannot be converted, so these are types of their own.

use super::registered;
use crate::Result;
use serde::Serialize;

/// 32 bytes that commit to data or a replica.
pub type Commitment = [u8; 32];
/// Randomness of a PoSt.
pub type ChallengeSeed = [u8; 32];
/// The miner, see [`crate::prover_id`].
pub type ProverId = [u8; 32];
/// Randomness of sealing.
pub type Ticket = [u8; 32];
/// A proof, 192 bytes per partition.
pub type SnarkProof = Vec<u8>;
/// A vanilla proof of one sector, in bincode.
pub type VanillaProofBytes = Vec<u8>;

/// The vanilla proof of one partition of a sector update, in bincode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionProofBytes(pub Vec<u8>);

/// The proof of one partition of a WindowPoSt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionSnarkProof(pub Vec<u8>);

/// The proof of a sector update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmptySectorUpdateProof(pub Vec<u8>);

/// What the chain knows of a sector that is part of a PoSt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicReplicaInfo {
    /// A name that is no registered proof is an error where it is used.
    pub(super) registered_proof: Result<i32>,
    pub(super) comm_r: Commitment,
}

impl PublicReplicaInfo {
    /// A sector of this kind with this commitment.
    pub fn new(registered_proof: impl Serialize, comm_r: Commitment) -> Self {
        PublicReplicaInfo { registered_proof: registered::any_post_proof(registered_proof), comm_r }
    }
}

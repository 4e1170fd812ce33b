//! Proofs of spacetime: WinningPoSt and WindowPoSt.

use crate::{
    convert::{byte_list, first, size_of},
    ffi, JobOptions, Result,
};
use cuzk_sys as sys;

/// What a proof of spacetime is to be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostRequest<'a> {
    /// The network's number of the PoSt proof, 0 to 14: it says winning or
    /// window, and the sector size.
    pub registered_proof: i32,
    /// Used with its top two bits cleared, as the network does.
    pub randomness: [u8; 32],
    /// The miner, see [`crate::prover_id`].
    pub prover_id: [u8; 32],
    /// Vanilla proofs in bincode, one per sector, in ascending sector number;
    /// exactly one for WinningPoSt.
    pub vanilla_proofs: Vec<&'a [u8]>,
    /// Only this partition of a WindowPoSt: the vanilla proofs are its own.
    pub partition: Option<u32>,
    /// Urgency, identity and deadline.
    pub job: JobOptions,
}

impl PostRequest<'_> {
    pub(crate) fn with_c<T>(&self, f: impl FnOnce(*const sys::cuzk_post_request) -> Result<T>) -> Result<T> {
        let vanilla = byte_list(&self.vanilla_proofs);
        self.job.with_c(|job| {
            f(&sys::cuzk_post_request {
                struct_size: size_of::<sys::cuzk_post_request>(),
                registered_proof: self.registered_proof,
                randomness: self.randomness,
                prover_id: self.prover_id,
                vanilla_proofs: first(&vanilla),
                vanilla_count: vanilla.len(),
                single: self.partition.is_some().into(),
                partition: self.partition.unwrap_or(0),
                job,
            })
        })
    }
}

/// A sector and its sealed commitment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostSector {
    /// The sector's number.
    pub sector_number: u64,
    /// Commitment to the replica.
    pub comm_r: [u8; 32],
}

/// What the chain knows of a proof of spacetime: its public side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostInfo {
    /// The network's number of the PoSt proof, 0 to 14.
    pub registered_proof: i32,
    /// Used with its top two bits cleared, as the network does.
    pub randomness: [u8; 32],
    /// The miner, see [`crate::prover_id`].
    pub prover_id: [u8; 32],
    /// The proved sectors, in any order.
    pub sectors: Vec<PostSector>,
    /// The proof is of this partition of a WindowPoSt only.
    pub partition: Option<u32>,
}

impl PostInfo {
    pub(crate) fn with_c<T>(&self, f: impl FnOnce(*const sys::cuzk_post_info) -> T) -> T {
        let one = |s: &PostSector| sys::cuzk_post_sector { sector_number: s.sector_number, comm_r: s.comm_r };
        let sectors: Vec<_> = self.sectors.iter().map(one).collect();
        f(&sys::cuzk_post_info {
            struct_size: size_of::<sys::cuzk_post_info>(),
            registered_proof: self.registered_proof,
            randomness: self.randomness,
            prover_id: self.prover_id,
            sectors: first(&sectors),
            sector_count: sectors.len(),
            single: self.partition.is_some().into(),
            partition: self.partition.unwrap_or(0),
        })
    }
}

/// Makes a WindowPoSt of the proofs of all its partitions, in order. Each is
/// checked to be a proof; none is verified.
pub fn merge_post(registered_proof: i32, partitions: &[&[u8]]) -> Result<Vec<u8>> {
    ffi::merge_post(registered_proof, &byte_list(partitions))
}

/// Which of so many eligible sectors a WinningPoSt is about: an index into them
/// in ascending sector number.
pub fn post_winner(
    registered_proof: i32,
    randomness: &[u8; 32],
    prover_id: &[u8; 32],
    eligible: u64,
) -> Result<u64> {
    ffi::post_winner(registered_proof, randomness, prover_id, eligible)
}

/// How many partitions a WindowPoSt of so many sectors has.
pub fn post_partitions(registered_proof: i32, sectors: u64) -> Result<u64> {
    ffi::post_partitions(registered_proof, sectors)
}

/// Which nodes of each sector the vanilla proofs of a PoSt must open. The sector
/// numbers ascend; the list has one element for each of them.
pub fn post_challenges(
    registered_proof: i32,
    randomness: &[u8; 32],
    sectors: &[u64],
) -> Result<Vec<Vec<u64>>> {
    let nodes = ffi::post_challenges(registered_proof, randomness, sectors)?;
    let each = nodes.len() / sectors.len().max(1);
    Ok(nodes.chunks(each.max(1)).map(<[u64]>::to_vec).collect())
}

//! Proofs of spacetime: `filecoin_proofs_api::post`.
//!
//! Unlike the published functions these check the vanilla proofs whole before
//! proving and the proof before it is returned, refuse trailing bytes in vanilla
//! proofs. Functions that read sector files are not here: they belong to sealing.

use super::{
    engine,
    registered::{any_post_proof, check_post_type, post_proof, sectors_of, PostType},
    ChallengeSeed, PartitionSnarkProof, ProverId, PublicReplicaInfo, SnarkProof, VanillaProofBytes,
};
use crate::{Code, Error, JobOptions, PostInfo, PostRequest, PostSector, Result};
use serde::Serialize;
use std::collections::BTreeMap;

/// Which of so many eligible sectors the WinningPoSt is about: a list with one
/// index into them in ascending order.
pub fn generate_winning_post_sector_challenge(
    proof_type: impl Serialize,
    randomness: &ChallengeSeed,
    sector_set_len: u64,
    prover_id: ProverId,
) -> Result<Vec<u64>> {
    let number = post_proof(proof_type, PostType::Winning)?;
    Ok(vec![crate::post_winner(number, randomness, &prover_id, sector_set_len)?])
}

/// Which nodes of each sector the vanilla proofs must open. Sectors may come in
/// any order, which matters for the first version of WindowPoSt, and repeat: then
/// the last place counts. A WinningPoSt has one sector: of several only the first
/// is answered.
pub fn generate_fallback_sector_challenges<S: Copy + Ord + Into<u64>>(
    registered_post_proof_type: impl Serialize,
    randomness: &ChallengeSeed,
    pub_sectors: &[S],
    _prover_id: ProverId,
) -> Result<BTreeMap<S, Vec<u64>>> {
    let number = any_post_proof(registered_post_proof_type)?;
    let pub_sectors = match check_post_type(number, PostType::Winning) {
        Ok(()) => &pub_sectors[..pub_sectors.len().min(1)],
        Err(_) => pub_sectors,
    };
    let numbers: Vec<u64> = pub_sectors.iter().map(|s| (*s).into()).collect();
    let challenges = crate::post_challenges(number, randomness, &numbers)?;
    Ok(pub_sectors.iter().copied().zip(challenges).collect())
}

/// How many partitions the WindowPoSt of so many sectors has, divided in single
/// precision as the published function does: above some 2^24 sectors
/// [`crate::post_partitions`] gives another number.
pub fn get_num_partition_for_fallback_post(
    registered_post_proof_v1: impl Serialize,
    num_sectors: usize,
) -> Result<usize> {
    let number = post_proof(registered_post_proof_v1, PostType::Window)?;
    let partitions = (num_sectors as f32 / sectors_of(number) as f32).ceil() as usize;
    Ok(partitions.max(1))
}

/// Turns the vanilla proof of the one sector that won into a WinningPoSt. The
/// list has one element.
pub fn generate_winning_post_with_vanilla<P: Serialize + Copy>(
    registered_post_proof_type: P,
    randomness: &ChallengeSeed,
    prover_id: ProverId,
    vanilla_proofs: &[VanillaProofBytes],
) -> Result<Vec<(P, SnarkProof)>> {
    let number = post_proof(registered_post_proof_type, PostType::Winning)?;
    let proof = prove(number, randomness, prover_id, vanilla_proofs, None)?;
    Ok(vec![(registered_post_proof_type, proof)])
}

/// Turns vanilla proofs, in ascending order of sectors, into a WindowPoSt of any
/// number of partitions. The list has one element.
pub fn generate_window_post_with_vanilla<P: Serialize + Copy>(
    registered_post_proof_type: P,
    randomness: &ChallengeSeed,
    prover_id: ProverId,
    vanilla_proofs: &[VanillaProofBytes],
) -> Result<Vec<(P, SnarkProof)>> {
    let number = post_proof(registered_post_proof_type, PostType::Window)?;
    let proof = prove(number, randomness, prover_id, vanilla_proofs, None)?;
    Ok(vec![(registered_post_proof_type, proof)])
}

/// Turns the vanilla proofs of one partition into that partition of a WindowPoSt.
pub fn generate_single_window_post_with_vanilla(
    registered_post_proof_v1: impl Serialize,
    randomness: &ChallengeSeed,
    prover_id: ProverId,
    vanilla_proofs: &[VanillaProofBytes],
    partition_index: usize,
) -> Result<PartitionSnarkProof> {
    let number = post_proof(registered_post_proof_v1, PostType::Window)?;
    let index = u32::try_from(partition_index).map_err(|_| {
        Error::new(Code::Argument, "partition_index", format!("partition_index is {partition_index}"))
    })?;
    prove(number, randomness, prover_id, vanilla_proofs, Some(index)).map(PartitionSnarkProof)
}

/// Joins the partitions of a WindowPoSt, in order and without looking into them.
/// [`crate::merge_post`] is the function that checks.
pub fn merge_window_post_partition_proofs(
    registered_post_proof_v1: impl Serialize,
    proofs: Vec<PartitionSnarkProof>,
) -> Result<SnarkProof> {
    post_proof(registered_post_proof_v1, PostType::Window)?;
    Ok(proofs.into_iter().flat_map(|p| p.0).collect())
}

/// Whether `proof` is a WinningPoSt of these sectors.
pub fn verify_winning_post<S: Copy + Into<u64>>(
    randomness: &ChallengeSeed,
    proof: &[u8],
    replicas: &BTreeMap<S, PublicReplicaInfo>,
    prover_id: ProverId,
) -> Result<bool> {
    verify(PostType::Winning, randomness, proof, replicas, prover_id)
}

/// Whether the one element of `proofs` is a WindowPoSt of these sectors.
pub fn verify_window_post<P: Serialize + Copy, S: Copy + Into<u64>>(
    randomness: &ChallengeSeed,
    proofs: &[(P, &[u8])],
    replicas: &BTreeMap<S, PublicReplicaInfo>,
    prover_id: ProverId,
) -> Result<bool> {
    let [(registered, proof)] = proofs else {
        let text = format!("{} proofs, one version of PoSt at a time is supported", proofs.len());
        return Err(Error::new(Code::Argument, "proofs", text));
    };
    let number = post_proof(registered, PostType::Window)?;
    if let Some(other) = replicas.values().find(|r| r.registered_proof != Ok(number)) {
        return Err(mixed(&other.registered_proof, number));
    }
    verify(PostType::Window, randomness, proof, replicas, prover_id)
}

fn prove(
    registered_proof: i32,
    randomness: &ChallengeSeed,
    prover_id: ProverId,
    vanilla_proofs: &[VanillaProofBytes],
    partition: Option<u32>,
) -> Result<SnarkProof> {
    let vanilla_proofs = vanilla_proofs.iter().map(Vec::as_slice).collect();
    let randomness = *randomness;
    engine()?.prove_post(&PostRequest {
        registered_proof,
        randomness,
        prover_id,
        vanilla_proofs,
        partition,
        job: JobOptions::default(),
    })
}

fn verify<S: Copy + Into<u64>>(
    wanted: PostType,
    randomness: &ChallengeSeed,
    proof: &[u8],
    replicas: &BTreeMap<S, PublicReplicaInfo>,
    prover_id: ProverId,
) -> Result<bool> {
    let Some(one) = replicas.values().next() else {
        return Err(Error::new(Code::Argument, "replicas", "no replicas supplied"));
    };
    let registered_proof = one.registered_proof.clone()?;
    check_post_type(registered_proof, wanted)?;
    let mut sectors = Vec::with_capacity(replicas.len());
    for (number, replica) in replicas {
        if replica.registered_proof != Ok(registered_proof) {
            return Err(mixed(&replica.registered_proof, registered_proof));
        }
        sectors.push(PostSector { sector_number: (*number).into(), comm_r: replica.comm_r });
    }
    let randomness = *randomness;
    let info = PostInfo { registered_proof, randomness, prover_id, sectors, partition: None };
    engine()?.verify_post(&info, proof)
}

/// The error for replicas of several kinds, or of none.
fn mixed(other: &Result<i32>, wanted: i32) -> Error {
    match other {
        Err(e) => e.clone(),
        Ok(n) => {
            Error::new(Code::Argument, "replicas", format!("registered proofs {n} and {wanted} in one PoSt"))
        }
    }
}

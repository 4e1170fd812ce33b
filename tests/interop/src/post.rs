//! Proofs of spacetime asked of sealed sectors.

use crate::sector::Sector;
use anyhow::Result;
use filecoin_proofs_api::{
    post, PoStType, PrivateReplicaInfo, PublicReplicaInfo, RegisteredPoStProof, SectorId,
};
use rand::{rngs::StdRng, Rng};
use std::collections::BTreeMap;

/// The challenge of some sectors of one miner, and their answers: vanilla proofs.
pub struct Post {
    pub registered_proof: RegisteredPoStProof,
    /// Masked, as the network's callers do.
    pub randomness: [u8; 32],
    pub prover_id: [u8; 32],
    /// In ascending sector number.
    pub vanilla: Vec<Vec<u8>>,
    /// Commitments by sector number.
    pub comm_r: BTreeMap<SectorId, [u8; 32]>,
}

impl Post {
    /// Challenges the sectors with fresh randomness and has the published crates answer.
    pub fn challenge(
        registered_proof: RegisteredPoStProof,
        sectors: &[Sector],
        rng: &mut StdRng,
    ) -> Result<Self> {
        let by_id: BTreeMap<SectorId, &Sector> = sectors.iter().map(|s| (s.number.into(), s)).collect();
        let ids: Vec<SectorId> = by_id.keys().copied().collect();
        let prover_id = sectors[0].prover_id;
        let mut randomness: [u8; 32] = rng.gen();
        randomness[31] &= 0x3f;
        let challenges =
            post::generate_fallback_sector_challenges(registered_proof, &randomness, &ids, prover_id)?;
        let answer = |(id, s): (&SectorId, &&Sector)| {
            let private =
                PrivateReplicaInfo::new(registered_proof, s.comm_r, s.cache.clone(), s.replica.clone());
            post::generate_single_vanilla_proof(registered_proof, *id, &private, &challenges[id])
        };
        Ok(Post {
            registered_proof,
            randomness,
            prover_id,
            vanilla: by_id.iter().map(answer).collect::<Result<_>>()?,
            comm_r: by_id.iter().map(|(id, s)| (*id, s.comm_r)).collect(),
        })
    }

    /// The published verifier's answer for a proof of these sectors.
    pub fn published_verdict(&self, proof: &[u8]) -> Result<bool> {
        let replica = |(id, comm_r): (&SectorId, &[u8; 32])| {
            (*id, PublicReplicaInfo::new(self.registered_proof, *comm_r))
        };
        let replicas = self.comm_r.iter().map(replica).collect();
        match self.registered_proof.typ() {
            PoStType::Winning => {
                post::verify_winning_post(&self.randomness, proof, &replicas, self.prover_id)
            }
            PoStType::Window => {
                let proofs = [(self.registered_proof, proof)];
                post::verify_window_post(&self.randomness, &proofs, &replicas, self.prover_id)
            }
        }
    }
}

//! Empty-sector updates of sealed sectors.

use crate::sector::{stage_random_piece, Sector};
use anyhow::Result;
use filecoin_proofs_api::{update, RegisteredUpdateProof};
use rand::rngs::StdRng;
use std::fs::{self, File};

/// New data in a sealed sector: commitments, and the vanilla proof of each partition.
pub struct Update {
    pub registered_proof: RegisteredUpdateProof,
    pub comm_r_old: [u8; 32],
    pub comm_r_new: [u8; 32],
    pub comm_d_new: [u8; 32],
    pub vanilla: Vec<Vec<u8>>,
}

impl Update {
    /// Encodes random data into the sector.
    pub fn of(sector: &Sector, rng: &mut StdRng) -> Result<Self> {
        let registered_proof = RegisteredUpdateProof::StackedDrg2KiBV1;
        let folder = tempfile::tempdir()?;
        let staged = folder.path().join("staged");
        let piece = stage_random_piece(sector.registered_proof, &staged, rng)?;
        let (replica, cache) = (folder.path().join("replica"), folder.path().join("cache"));
        File::create(&replica)?.set_len(fs::metadata(&sector.replica)?.len())?;
        fs::create_dir(&cache)?;
        let encoded = update::empty_sector_update_encode_into(
            registered_proof,
            &replica,
            &cache,
            &sector.replica,
            &sector.cache,
            &staged,
            &[piece],
        )?;
        let (comm_r_new, comm_d_new) = (encoded.comm_r_new, encoded.comm_d_new);
        let proofs = update::generate_partition_proofs(
            registered_proof,
            sector.comm_r,
            comm_r_new,
            comm_d_new,
            &sector.replica,
            &sector.cache,
            &replica,
            &cache,
        )?;
        let vanilla = proofs.into_iter().map(|p| p.0).collect();
        Ok(Update { registered_proof, comm_r_old: sector.comm_r, comm_r_new, comm_d_new, vanilla })
    }

    /// The published verifier's answer for a proof of this update.
    pub fn published_verdict(&self, proof: &[u8]) -> Result<bool> {
        let (old, new, d) = (self.comm_r_old, self.comm_r_new, self.comm_d_new);
        update::verify_empty_sector_update_proof(self.registered_proof, proof, old, new, d)
    }
}

//! Freshly sealed 2 KiB sectors: random data, real replicas, real commit-phase-1 outputs.
//! The published crates do all of it.

use anyhow::{Context, Result};
use filecoin_proofs_api::{
    seal::{self, SealCommitPhase1Output},
    PaddedBytesAmount, PieceInfo, RegisteredSealProof, SectorId, UnpaddedBytesAmount,
};
use rand::{rngs::StdRng, Rng, RngCore, SeedableRng};
use std::{
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A sealed sector: what the chain knows of it, its files, and its C1 output.
pub struct Sector {
    pub registered_proof: RegisteredSealProof,
    /// Payload of the miner's ID address, padded with zeros.
    pub prover_id: [u8; 32],
    pub number: u64,
    pub ticket: [u8; 32],
    pub seed: [u8; 32],
    pub comm_r: [u8; 32],
    pub comm_d: [u8; 32],
    pub c1: SealCommitPhase1Output,
    /// Trees and auxiliary files of the replica.
    pub cache: PathBuf,
    pub replica: PathBuf,
    _folder: TempDir,
}

impl Sector {
    /// Seals one sector of random data; `rng` decides all but its miner.
    pub fn seal(registered_proof: RegisteredSealProof, miner: u64, rng: &mut StdRng) -> Result<Self> {
        let folder = tempfile::tempdir().context("a folder for the sector")?;
        let cache = folder.path().join("cache");
        let replica = folder.path().join("sealed");
        let staged = folder.path().join("staged");
        fs::create_dir(&cache)?;

        let size = u64::from(registered_proof.sector_size());
        let pieces = [stage_random_piece(registered_proof, &staged, rng)?];
        File::create(&replica)?.set_len(size)?;

        let prover_id = cuzk::prover_id(miner);
        let number = rng.gen_range(1..1 << 40);
        let id = SectorId::from(number);
        let (ticket, seed) = (rng.gen(), rng.gen());
        let phase1 = seal::seal_pre_commit_phase1(
            registered_proof,
            &cache,
            &staged,
            &replica,
            prover_id,
            id,
            ticket,
            &pieces,
        )?;
        let phase2 = seal::seal_pre_commit_phase2(phase1, &cache, &replica)?;
        let (comm_r, comm_d) = (phase2.comm_r, phase2.comm_d);
        if registered_proof == RegisteredSealProof::StackedDrg2KiBV1_1_Feat_SyntheticPoRep {
            // Synthetic sectors draw their challenges from proofs stored before the trees go away.
            seal::generate_synth_proofs(&cache, &replica, prover_id, id, ticket, phase2.clone(), &pieces)?;
            seal::clear_cache(&cache)?;
        }
        let c1 = seal::seal_commit_phase1(&cache, &replica, prover_id, id, ticket, seed, phase2, &pieces)?;
        Ok(Sector {
            registered_proof,
            prover_id,
            number,
            ticket,
            seed,
            comm_r,
            comm_d,
            c1,
            cache,
            replica,
            _folder: folder,
        })
    }

    /// The C1 output in the form that filecoin-ffi hands to callers.
    pub fn c1_json(&self) -> Vec<u8> {
        serde_json::to_vec(&self.c1).expect("a C1 output is plain data")
    }

    /// The published verifier's answer for a proof of this sector.
    pub fn published_verdict(&self, proof: &[u8]) -> Result<bool> {
        seal::verify_seal(
            self.registered_proof,
            self.comm_r,
            self.comm_d,
            self.prover_id,
            SectorId::from(self.number),
            self.ticket,
            self.seed,
            proof,
        )
    }
}

/// Fills a new staging file with one piece of random data.
pub(crate) fn stage_random_piece(
    registered_proof: RegisteredSealProof,
    staged: &Path,
    rng: &mut StdRng,
) -> Result<PieceInfo> {
    let size = u64::from(registered_proof.sector_size());
    let unpadded: UnpaddedBytesAmount = PaddedBytesAmount(size).into();
    let mut data = vec![0u8; u64::from(unpadded) as usize];
    rng.fill_bytes(&mut data);
    let mut stage = OpenOptions::new().read(true).write(true).create_new(true).open(staged)?;
    let (piece, _) = seal::add_piece(registered_proof, &data[..], &mut stage, unpadded, &[])?;
    Ok(piece)
}

/// A generator whose seed is printed, so that a failure can be repeated with `CUZK_TEST_SEED`.
pub fn printed_rng(what: &str) -> StdRng {
    let seed = std::env::var("CUZK_TEST_SEED")
        .map_or_else(|_| rand::thread_rng().gen(), |s| s.parse().expect("CUZK_TEST_SEED is a decimal u64"));
    println!("{what}: CUZK_TEST_SEED={seed}");
    StdRng::seed_from_u64(seed)
}

//! Aggregates of seal proofs (SnarkPack): one proof that all of them hold.

use crate::{
    convert::{byte_list, first, size_of, start},
    JobOptions, Result,
};
use cuzk_sys as sys;

/// The versions of SnarkPack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum SnarkPack {
    /// Version 1, which chains accept in old messages only.
    V1 = sys::CUZK_SNARK_PACK_V1,
    /// Version 2.
    V2 = sys::CUZK_SNARK_PACK_V2,
}

/// What the chain knows of one sector of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AggregateSector {
    /// The sector's number.
    pub sector_number: u64,
    /// Commitment to the replica.
    pub comm_r: [u8; 32],
    /// Commitment to the data.
    pub comm_d: [u8; 32],
    /// Randomness of sealing.
    pub ticket: [u8; 32],
    /// Randomness of the challenges.
    pub seed: [u8; 32],
}

impl AggregateSector {
    fn to_c(self) -> sys::cuzk_aggregate_sector {
        sys::cuzk_aggregate_sector {
            sector_number: self.sector_number,
            comm_r: self.comm_r,
            comm_d: self.comm_d,
            ticket: self.ticket,
            seed: self.seed,
        }
    }
}

/// What the chain knows of an aggregate: the public side of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregateInfo {
    /// The network's number of the seal proof of every sector, 0 to 19.
    pub registered_proof: i32,
    /// Of the protocol.
    pub version: SnarkPack,
    /// The miner, see [`crate::prover_id`].
    pub prover_id: [u8; 32],
    /// The sectors in the order in which they were aggregated.
    pub sectors: Vec<AggregateSector>,
}

impl AggregateInfo {
    fn c_sectors(&self) -> Vec<sys::cuzk_aggregate_sector> {
        self.sectors.iter().map(|s| s.to_c()).collect()
    }

    /// The struct for C; `sectors` must outlive it.
    fn to_c(&self, sectors: &[sys::cuzk_aggregate_sector]) -> sys::cuzk_aggregate_info {
        sys::cuzk_aggregate_info {
            struct_size: size_of::<sys::cuzk_aggregate_info>(),
            registered_proof: self.registered_proof,
            version: self.version as i32,
            reserved: 0,
            prover_id: self.prover_id,
            sectors: first(sectors),
            sector_count: sectors.len(),
        }
    }

    pub(crate) fn with_c<T>(&self, f: impl FnOnce(*const sys::cuzk_aggregate_info) -> T) -> T {
        f(&self.to_c(&self.c_sectors()))
    }
}

/// Calls `f` with claims as C takes them.
pub(crate) fn with_claims<T>(
    claims: &[(&AggregateInfo, &[u8])],
    f: impl FnOnce(&[sys::cuzk_aggregate_claim]) -> T,
) -> T {
    let sectors: Vec<_> = claims.iter().map(|(info, _)| info.c_sectors()).collect();
    let infos: Vec<_> = claims.iter().zip(&sectors).map(|((info, _), s)| info.to_c(s)).collect();
    let list: Vec<_> = claims
        .iter()
        .zip(&infos)
        .map(|((_, data), info)| sys::cuzk_aggregate_claim {
            info,
            aggregate: start(data),
            aggregate_len: data.len(),
        })
        .collect();
    f(&list)
}

/// Seal proofs to aggregate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregateRequest<'a> {
    /// What the chain knows of the sectors.
    pub info: AggregateInfo,
    /// Their seal proofs, in the same order: 192 bytes per partition.
    pub proofs: Vec<&'a [u8]>,
    /// Of the sectors only comm_r and seed are known, and the prover id is not: then
    /// that the proofs hold is not checked.
    pub commitments_only: bool,
    /// Urgency, identity and deadline.
    pub job: JobOptions,
}

impl AggregateRequest<'_> {
    pub(crate) fn with_c<T>(
        &self,
        f: impl FnOnce(*const sys::cuzk_aggregate_request) -> Result<T>,
    ) -> Result<T> {
        let (sectors, proofs) = (self.info.c_sectors(), byte_list(&self.proofs));
        self.job.with_c(|job| {
            f(&sys::cuzk_aggregate_request {
                struct_size: size_of::<sys::cuzk_aggregate_request>(),
                registered_proof: self.info.registered_proof,
                version: self.info.version as i32,
                commitments_only: self.commitments_only.into(),
                prover_id: self.info.prover_id,
                sectors: first(&sectors),
                sector_count: sectors.len(),
                proofs: first(&proofs),
                proof_count: proofs.len(),
                job,
            })
        })
    }
}

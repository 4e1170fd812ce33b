//! Proofs of replication: a sector was sealed.

use crate::{
    convert::{size_of, start},
    JobOptions, Result,
};
use cuzk_sys as sys;

/// What a proof of replication is to be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PorepRequest<'a> {
    /// The JSON of seal_commit_phase1, raw or in Curio's wrapper.
    pub c1: &'a [u8],
    /// The sector's number.
    pub sector_number: u64,
    /// The miner, see [`prover_id`].
    pub prover_id: [u8; 32],
    /// Of a non-interactive proof the proofs of all partitions, which the network
    /// takes only as an aggregate. Other proofs are the same either way.
    pub circuit_proofs: bool,
    /// Urgency, identity and deadline.
    pub job: JobOptions,
}

impl PorepRequest<'_> {
    pub(crate) fn with_c<T>(&self, f: impl FnOnce(*const sys::cuzk_porep_request) -> Result<T>) -> Result<T> {
        self.job.with_c(|job| {
            f(&sys::cuzk_porep_request {
                struct_size: size_of::<sys::cuzk_porep_request>(),
                circuit_proofs: self.circuit_proofs.into(),
                c1_json: start(self.c1),
                c1_len: self.c1.len(),
                sector_number: self.sector_number,
                prover_id: self.prover_id,
                job,
            })
        })
    }
}

/// What the chain knows of a sealed sector: the public side of its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PorepInfo {
    /// The network's number of the seal proof, 0 to 19; 8 is 32 GiB V1_1.
    pub registered_proof: i32,
    /// The sector's number.
    pub sector_number: u64,
    /// The miner, see [`prover_id`].
    pub prover_id: [u8; 32],
    /// Commitment to the replica.
    pub comm_r: [u8; 32],
    /// Commitment to the data.
    pub comm_d: [u8; 32],
    /// Randomness of sealing.
    pub ticket: [u8; 32],
    /// Randomness of the challenges.
    pub seed: [u8; 32],
    /// A non-interactive proof in un-aggregated form.
    pub circuit_proofs: bool,
}

impl PorepInfo {
    pub(crate) fn with_c<T>(&self, f: impl FnOnce(*const sys::cuzk_porep_info) -> T) -> T {
        f(&sys::cuzk_porep_info {
            struct_size: size_of::<sys::cuzk_porep_info>(),
            registered_proof: self.registered_proof,
            sector_number: self.sector_number,
            prover_id: self.prover_id,
            comm_r: self.comm_r,
            comm_d: self.comm_d,
            ticket: self.ticket,
            seed: self.seed,
            circuit_proofs: self.circuit_proofs.into(),
            reserved: 0,
        })
    }
}

/// The prover id of a miner: the payload of its ID address (the actor number
/// as unsigned LEB128), padded to 32 bytes with zeros.
///
/// ```
/// assert_eq!(cuzk::prover_id(1001)[..3], [0xe9, 0x07, 0x00]);
/// ```
pub const fn prover_id(miner: u64) -> [u8; 32] {
    let mut id = [0u8; 32];
    let (mut rest, mut i) = (miner, 0);
    while rest >= 0x80 {
        id[i] = rest as u8 | 0x80;
        rest >>= 7;
        i += 1;
    }
    id[i] = rest as u8;
    id
}

//! Empty-sector updates (SnapDeals): data was encoded into a sealed sector.

use crate::{
    convert::{byte_list, first, size_of},
    JobOptions, Result,
};
use cuzk_sys as sys;

/// What the proof of a sector update is to be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateRequest<'a> {
    /// What the chain knows of it.
    pub info: UpdateInfo,
    /// Vanilla proofs in bincode, one for each partition, in order.
    pub vanilla_proofs: Vec<&'a [u8]>,
    /// Urgency, identity and deadline.
    pub job: JobOptions,
}

impl UpdateRequest<'_> {
    pub(crate) fn with_c<T>(
        &self,
        f: impl FnOnce(*const sys::cuzk_update_request) -> Result<T>,
    ) -> Result<T> {
        let vanilla = byte_list(&self.vanilla_proofs);
        self.job.with_c(|job| {
            f(&sys::cuzk_update_request {
                struct_size: size_of::<sys::cuzk_update_request>(),
                registered_proof: self.info.registered_proof,
                comm_r_old: self.info.comm_r_old,
                comm_r_new: self.info.comm_r_new,
                comm_d_new: self.info.comm_d_new,
                vanilla_proofs: first(&vanilla),
                vanilla_count: vanilla.len(),
                job,
            })
        })
    }
}

/// What the chain knows of a sector update: the public side of its proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdateInfo {
    /// The network's number of the update proof, 0 to 4.
    pub registered_proof: i32,
    /// Commitment to the old replica.
    pub comm_r_old: [u8; 32],
    /// Commitment to the new replica.
    pub comm_r_new: [u8; 32],
    /// Commitment to the new data.
    pub comm_d_new: [u8; 32],
}

impl UpdateInfo {
    pub(crate) fn with_c<T>(&self, f: impl FnOnce(*const sys::cuzk_update_info) -> T) -> T {
        f(&sys::cuzk_update_info {
            struct_size: size_of::<sys::cuzk_update_info>(),
            registered_proof: self.registered_proof,
            comm_r_old: self.comm_r_old,
            comm_r_new: self.comm_r_new,
            comm_d_new: self.comm_d_new,
        })
    }
}

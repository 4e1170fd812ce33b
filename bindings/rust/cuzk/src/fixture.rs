//! Inputs of proofs over sectors that were never sealed.

use crate::{convert, JobOptions, Kind, Result};
use cuzk_sys as sys;
use std::path::PathBuf;

/// The input of a proof over sectors that were never sealed: valid in every
/// respect that a prover or verifier can see, of any sector size, made in
/// seconds, and worthless on a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixtureRequest {
    /// Kind of proof.
    pub kind: Kind,
    /// Bytes of a sector.
    pub sector_size: u64,
    /// Below 2^48; equal seeds give equal files.
    pub seed: u64,
    /// Of a WindowPoSt; 0: one.
    pub sectors: u64,
    /// Existing folder for the files.
    pub dir: PathBuf,
    /// Urgency, identity and deadline.
    pub job: JobOptions,
}

impl FixtureRequest {
    pub(crate) fn with_c<T>(
        &self,
        f: impl FnOnce(*const sys::cuzk_fixture_options) -> Result<T>,
    ) -> Result<T> {
        let dir = convert::path(Some(&self.dir), "request.dir")?;
        self.job.with_c(|job| {
            f(&sys::cuzk_fixture_options {
                struct_size: convert::size_of::<sys::cuzk_fixture_options>(),
                kind: self.kind as i32,
                sector_size: self.sector_size,
                seed: self.seed,
                sectors: self.sectors,
                dir: convert::pointer(&dir),
                job,
            })
        })
    }
}

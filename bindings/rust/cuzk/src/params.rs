//! Test parameters.

use crate::{convert, JobOptions, Result};
use cuzk_sys as sys;
use std::path::PathBuf;

/// The kinds of proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Kind {
    /// Proof of replication: a sector was sealed.
    Porep = sys::CUZK_KIND_POREP,
    /// WinningPoSt: the miner holds the sector that won a block.
    WinningPost = sys::CUZK_KIND_WINNING_POST,
    /// WindowPoSt: the miner still holds its sectors.
    WindowPost = sys::CUZK_KIND_WINDOW_POST,
    /// Empty-sector update (SnapDeals): data was encoded into a sealed sector.
    Update = sys::CUZK_KIND_UPDATE,
    /// Of parameters alone: the SRS of aggregation.
    Aggregate = sys::CUZK_KIND_AGGREGATE,
}

/// Which parameters to make. They are worth nothing on a real network: whoever
/// makes parameters could forge proofs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamsRequest {
    /// Circuit kind.
    pub kind: Kind,
    /// Bytes of a sector; 0 for [`Kind::Aggregate`].
    pub sector_size: u64,
    /// For [`Kind::Aggregate`], else 0: points per vector of the SRS, twice as many as
    /// proofs can be aggregated.
    pub length: u64,
    /// Existing folder for the files; None: the engine's.
    pub dir: Option<PathBuf>,
    /// None: random secrets, forgotten afterwards. `"golden"`: the fixed secrets
    /// of the test vectors, known to everyone.
    pub seed_label: Option<String>,
    /// Urgency, identity and deadline.
    pub job: JobOptions,
}

impl ParamsRequest {
    pub(crate) fn with_c<T>(
        &self,
        f: impl FnOnce(*const sys::cuzk_params_options) -> Result<T>,
    ) -> Result<T> {
        let dir = convert::path(self.dir.as_deref(), "request.dir")?;
        let label = self.seed_label.as_deref();
        let label = label.map(|l| convert::text(l.as_bytes(), "request.seed_label")).transpose()?;
        self.job.with_c(|job| {
            f(&sys::cuzk_params_options {
                struct_size: convert::size_of::<sys::cuzk_params_options>(),
                kind: self.kind as i32,
                sector_size: self.sector_size,
                dir: convert::pointer(&dir),
                seed_label: convert::pointer(&label),
                job,
                length: self.length,
            })
        })
    }
}

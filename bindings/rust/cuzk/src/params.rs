//! Test parameters.

use std::path::PathBuf;

/// The kinds of proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Kind {
    /// Proof of replication: a sector was sealed.
    Porep = cuzk_sys::CUZK_KIND_POREP,
    /// WinningPoSt: the miner holds the sector that won a block.
    WinningPost = cuzk_sys::CUZK_KIND_WINNING_POST,
    /// WindowPoSt: the miner still holds its sectors.
    WindowPost = cuzk_sys::CUZK_KIND_WINDOW_POST,
    /// Empty-sector update (SnapDeals): data was encoded into a sealed sector.
    Update = cuzk_sys::CUZK_KIND_UPDATE,
}

/// Which parameters to make. They are worth nothing on a real network: whoever
/// makes parameters could forge proofs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamsRequest {
    /// Circuit kind.
    pub kind: Kind,
    /// Bytes of a sector.
    pub sector_size: u64,
    /// Existing folder for the files; None: the engine's.
    pub dir: Option<PathBuf>,
    /// None: random secrets, forgotten afterwards. `"golden"`: the fixed secrets
    /// of the test vectors, known to everyone.
    pub seed_label: Option<String>,
}

//! Functions with the names, argument order and types of `filecoin-proofs-api`,
//! so that a caller changes one `use`:
//!
//! ```text
//! - use filecoin_proofs_api::seal;
//! + use cuzk::filecoin::seal;
//! ```
//!
//! Where that crate has types of its own, these functions take whatever
//! serializes or converts alike, so that neither crate depends on the other:
//! its `SealCommitPhase1Output`, registered proofs and `SectorId` fit, and so do
//! a parsed JSON document, the name of a registered proof and a `u64`. Types
//! that hide what is in them exist here too: [`PublicReplicaInfo`],
//! [`PartitionProofBytes`], [`PartitionSnarkProof`].
//!
//! The functions share one [`Engine`] per process. It opens when first needed,
//! with what the environment says (`FIL_PROOFS_PARAMETER_CACHE` and the other
//! variables that operators set; a value that makes no sense is an error of every
//! call until it is mended), or before that with options, by [`open`].

mod environment;
pub mod post;
mod registered;
pub mod seal;
mod types;
pub mod update;

pub use types::{
    ChallengeSeed, Commitment, EmptySectorUpdateProof, PartitionProofBytes, PartitionSnarkProof, ProverId,
    PublicReplicaInfo, SnarkProof, Ticket, VanillaProofBytes,
};

use crate::{Code, Engine, Error, Options, Result};
use std::{
    env,
    sync::{Mutex, OnceLock},
};

static ENGINE: OnceLock<Engine> = OnceLock::new();
/// Keeps two threads from opening two engines; a failure is not remembered.
static OPENING: Mutex<()> = Mutex::new(());

/// Opens the process's engine with options, before the first proof.
/// [`Code::Conflict`] if it is open already.
pub fn open(options: &Options) -> Result<()> {
    let _guard = OPENING.lock().unwrap_or_else(|e| e.into_inner());
    if ENGINE.get().is_some() {
        return Err(Error::new(Code::Conflict, "", "the engine of this process is already open"));
    }
    let engine = Engine::open(options)?;
    ENGINE.get_or_init(|| engine);
    Ok(())
}

/// The process's engine, opened if need be.
pub fn engine() -> Result<&'static Engine> {
    match ENGINE.get() {
        Some(engine) => Ok(engine),
        None => match environment::options(|name| env::var_os(name)).and_then(|options| open(&options)) {
            // Another thread may have been first, which is as good.
            Ok(()) => Ok(ENGINE.get().expect("just opened")),
            Err(e) => ENGINE.get().ok_or(e),
        },
    }
}

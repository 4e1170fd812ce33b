//! The resident prover.

use crate::{ffi, Job, Options, ParamsRequest, PorepInfo, Progress, Result};
use std::ops::ControlFlow;

/// A resident prover: compiled circuits, mapped parameters, worker threads.
///
/// Calls may come from any number of threads. Dropping the engine cancels what
/// runs and waits for it to stop.
#[derive(Debug)]
pub struct Engine {
    handle: ffi::Engine,
}

impl Engine {
    /// Opens an engine. Cheap: circuits are compiled and parameters mapped when
    /// first needed.
    ///
    /// Fails with [`Code::Argument`](crate::Code::Argument) (the message lists
    /// everything wrong with the options) and
    /// [`Code::NoDevice`](crate::Code::NoDevice).
    pub fn open(options: &Options) -> Result<Self> {
        Ok(Engine { handle: ffi::Engine::open(options)? })
    }

    /// Turns a commit-phase-1 output into the seal proof, 192 bytes per partition.
    ///
    /// `c1` is the JSON of seal_commit_phase1, raw or in Curio's wrapper. It is
    /// checked against the other arguments and itself before proving starts, and
    /// the proof is verified before it is returned. Blocks.
    pub fn prove_porep(&self, c1: &[u8], sector_number: u64, prover_id: &[u8; 32]) -> Result<Vec<u8>> {
        self.handle.prove_porep(c1, sector_number, prover_id)
    }

    /// As [`Engine::prove_porep`], but returns at once. Malformed input is the
    /// job's failure, not the call's.
    pub fn submit_porep(&self, c1: &[u8], sector_number: u64, prover_id: &[u8; 32]) -> Result<Job> {
        self.handle.submit_porep(c1, sector_number, prover_id).map(Job::new)
    }

    /// Whether `proof` proves what `info` says. `Ok(false)` is a well-formed
    /// proof of something else; bytes that are no proof at all are
    /// [`Code::ProofMalformed`](crate::Code::ProofMalformed).
    pub fn verify_porep(&self, info: &PorepInfo, proof: &[u8]) -> Result<bool> {
        self.handle.verify_porep(info, proof)
    }

    /// Makes parameters for tests: a `.params` and a `.vk` file under the
    /// network's names. Blocks; a minute or two for 2 KiB PoRep.
    ///
    /// `progress` is called on this thread and may stop the work
    /// ([`Code::Cancelled`](crate::Code::Cancelled)); a panic in it stops the
    /// work and continues here.
    pub fn make_params(
        &self,
        request: &ParamsRequest,
        mut progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        self.handle.make_params(request, &mut progress)
    }

    /// As [`Engine::make_params`], but returns at once. The job's result is the
    /// path of the `.params` file.
    pub fn submit_params(&self, request: &ParamsRequest) -> Result<Job> {
        self.handle.submit_params(request).map(Job::new)
    }
}

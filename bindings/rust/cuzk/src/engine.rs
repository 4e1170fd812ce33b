//! The resident prover.

use crate::{
    ffi, measure, AggregateInfo, AggregateRequest, Code, FixtureRequest, Job, Kind, MeasureRequest, Options,
    ParamsRequest, PorepInfo, PorepRequest, PostInfo, PostRequest, Progress, Result, Snapshot, UpdateInfo,
    UpdateRequest,
};
use std::{ops::ControlFlow, time::Duration};

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

    /// Turns vanilla proofs into a WinningPoSt, a WindowPoSt or one partition of a
    /// WindowPoSt, 192 bytes per partition. As [`Engine::prove_porep`] otherwise.
    pub fn prove_post(&self, request: &PostRequest<'_>) -> Result<Vec<u8>> {
        self.handle.prove_post(request)
    }

    /// Turns vanilla proofs into the proof of a sector update, 192 bytes per
    /// partition. As [`Engine::prove_porep`] otherwise.
    pub fn prove_update(&self, request: &UpdateRequest<'_>) -> Result<Vec<u8>> {
        self.handle.prove_update(request)
    }

    /// Aggregates seal proofs: one proof that all of them hold. Equal requests give
    /// equal bytes; a proof that does not hold is named by the error's detail.
    pub fn aggregate(&self, request: &AggregateRequest<'_>) -> Result<Vec<u8>> {
        self.handle.aggregate(request)
    }

    /// Whether `proof` proves what `info` says. `Ok(false)` is a well-formed
    /// proof of something else; bytes that are no proof at all are
    /// [`Code::ProofMalformed`](crate::Code::ProofMalformed).
    pub fn verify_porep(&self, info: &PorepInfo, proof: &[u8]) -> Result<bool> {
        self.handle.verify_porep(info, proof)
    }

    /// As [`Engine::verify_porep`], for proofs of spacetime.
    pub fn verify_post(&self, info: &PostInfo, proof: &[u8]) -> Result<bool> {
        self.handle.verify_post(info, proof)
    }

    /// As [`Engine::verify_porep`], for sector updates.
    pub fn verify_update(&self, info: &UpdateInfo, proof: &[u8]) -> Result<bool> {
        self.handle.verify_update(info, proof)
    }

    /// Whether the vanilla proofs of all partitions of a sector update hold, with
    /// the published verifier's answer for every input. Needs no parameters.
    pub fn verify_update_vanilla(&self, info: &UpdateInfo, vanilla_proofs: &[&[u8]]) -> Result<bool> {
        self.handle.verify_update_vanilla(info, vanilla_proofs)
    }

    /// As [`Engine::verify_porep`], for aggregates.
    pub fn verify_aggregate(&self, info: &AggregateInfo, aggregate: &[u8]) -> Result<bool> {
        self.handle.verify_aggregate(info, aggregate)
    }

    /// Verifies many aggregates in one combined check. The i-th verdict is `Ok` if the
    /// i-th claim holds, else the code of [`Code::ProofInvalid`](crate::Code::ProofInvalid)
    /// or of why it could not be checked.
    pub fn verify_aggregates(
        &self,
        claims: &[(&AggregateInfo, &[u8])],
    ) -> Result<Vec<std::result::Result<(), Code>>> {
        self.handle.verify_aggregates(claims)
    }

    /// As [`Engine::aggregate`], but returns at once.
    pub fn submit_aggregate(&self, request: &AggregateRequest<'_>) -> Result<Job> {
        self.handle.submit_aggregate(request).map(Job::new)
    }

    /// As [`Engine::prove_porep`], but returns at once. Malformed input is the
    /// job's failure, not the call's.
    pub fn submit_porep(&self, request: &PorepRequest<'_>) -> Result<Job> {
        self.handle.submit_porep(request).map(Job::new)
    }

    /// As [`Engine::prove_post`], but returns at once.
    pub fn submit_post(&self, request: &PostRequest<'_>) -> Result<Job> {
        self.handle.submit_post(request).map(Job::new)
    }

    /// As [`Engine::prove_update`], but returns at once.
    pub fn submit_update(&self, request: &UpdateRequest<'_>) -> Result<Job> {
        self.handle.submit_update(request).map(Job::new)
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

    /// Starts a job that brings the parameters of a kind of proof to where they
    /// are used, so that the first proof need not wait for it: checked and mapped,
    /// and onto every device. Its result is empty.
    pub fn submit_load(&self, kind: Kind, sector_size: u64) -> Result<Job> {
        self.handle.submit_load(kind, sector_size).map(Job::new)
    }

    /// Lets go of the parameters of a kind of proof and returns the bytes of
    /// memory that this freed; [`Code::Busy`](crate::Code::Busy) while in use.
    pub fn evict_params(&self, kind: Kind, sector_size: u64) -> Result<u64> {
        self.handle.evict_params(kind as i32, sector_size)
    }

    /// As [`Engine::evict_params`], for all parameters.
    pub fn evict_all_params(&self) -> Result<u64> {
        self.handle.evict_params(0, 0)
    }

    /// Starts a job that makes the input of a proof. Its result is the path of
    /// the JSON file that says what the chain knows, beside the files it names.
    pub fn submit_fixture(&self, request: &FixtureRequest) -> Result<Job> {
        self.handle.submit_fixture(request).map(Job::new)
    }

    /// Times one part of proving while nothing is proved; one time for each
    /// repetition. Blocks.
    pub fn measure(&self, request: &MeasureRequest) -> Result<Vec<Duration>> {
        let job = self.handle.submit_measure(request).map(Job::new)?;
        Ok(measure::times(&job.join()?))
    }

    /// What the engine does and holds.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.handle.snapshot()
    }

    /// What the engine does and holds, as JSON: jobs in each state, queues,
    /// memory by purpose, parameters with their sizes.
    pub fn status(&self) -> Result<String> {
        self.handle.status()
    }

    /// Counters in Prometheus' text format.
    pub fn metrics(&self) -> Result<String> {
        self.handle.metrics()
    }

    /// The last events of all jobs in the Chrome trace format.
    pub fn trace(&self) -> Result<String> {
        self.handle.trace()
    }

    /// Accepts no more jobs and waits until those under way have ended; None
    /// waits for ever. `Ok(false)`: the time is over, jobs go on.
    pub fn drain(&self, timeout: Option<Duration>) -> Result<bool> {
        match self.handle.drain(timeout) {
            Ok(()) => Ok(true),
            Err(e) if e.code == Code::Timeout => Ok(false),
            Err(e) => Err(e),
        }
    }
}

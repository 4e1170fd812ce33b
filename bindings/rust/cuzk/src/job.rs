//! Work that goes on without its caller.

use crate::{ffi, Code, Result};
use std::{ops::ControlFlow, time::Duration};

/// Work that was handed to an engine. Dropping it cancels it if it still runs.
#[derive(Debug)]
pub struct Job {
    handle: ffi::Job,
}

/// How far a piece of work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// Name of the stage, such as `solve`.
    pub stage: &'a str,
    /// Finished part of `total`, in units of the stage.
    pub done: u64,
    /// None if unknown.
    pub total: Option<u64>,
}

impl Job {
    pub(crate) fn new(handle: ffi::Job) -> Self {
        Job { handle }
    }

    /// Waits until the job ends; its failure is the error.
    pub fn wait(&self) -> Result<()> {
        self.handle.wait(None, &mut |_| ControlFlow::Continue(()))
    }

    /// Waits at most so long. `Ok(false)`: it still runs, and goes on.
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        match self.handle.wait(Some(timeout), &mut |_| ControlFlow::Continue(())) {
            Ok(()) => Ok(true),
            Err(e) if e.code == Code::Timeout => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Waits with a callback on this thread, which may cancel the job; a panic
    /// in it cancels the job and continues here.
    pub fn wait_with(&self, mut progress: impl FnMut(Progress<'_>) -> ControlFlow<()>) -> Result<()> {
        self.handle.wait(None, &mut progress)
    }

    /// Waits and returns the result: the proof, or the path for parameters.
    pub fn join(self) -> Result<Vec<u8>> {
        self.wait()?;
        self.result()
    }

    /// The result of a job that succeeded; [`Code::Busy`] while it runs.
    pub fn result(&self) -> Result<Vec<u8>> {
        self.handle.result()
    }

    /// A report as JSON: kind, state and the time of each stage.
    pub fn report(&self) -> Result<String> {
        self.handle.report()
    }

    /// Asks the job to stop; it ends with [`Code::Cancelled`] soon. `Ok(false)`:
    /// it had ended before.
    pub fn cancel(&self) -> Result<bool> {
        self.handle.cancel()
    }
}

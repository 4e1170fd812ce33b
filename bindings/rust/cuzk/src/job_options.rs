//! What every request may say of its job.

use crate::{convert, Result};
use cuzk_sys as sys;
use std::time::Duration;

/// Urgency, identity and deadline of a job; the default asks for nothing special.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobOptions {
    /// Overtakes waiting partitions of less urgent jobs.
    pub priority: Priority,
    /// Idempotency key: as long as a job with it is under way or remembered as
    /// done, the same request gives that job, and another request
    /// [`Code::Conflict`](crate::Code::Conflict).
    pub key: Option<String>,
    /// From now; a job that cannot be done by then fails with
    /// [`Code::Deadline`](crate::Code::Deadline) as soon as that is known.
    pub deadline: Option<Duration>,
    /// A submitted proof ends once its input has been checked and all partitions
    /// solved, with an empty result; it needs no parameters. Calls that block
    /// refuse it with [`Code::Argument`](crate::Code::Argument).
    pub witness_only: bool,
}

/// How urgent a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[repr(i32)]
pub enum Priority {
    /// Critical for WinningPoSt, high for WindowPoSt, else normal; parameters low.
    #[default]
    Auto = sys::CUZK_PRIORITY_AUTO,
    /// After everything else.
    Low = sys::CUZK_PRIORITY_LOW,
    /// Sealing and updates.
    Normal = sys::CUZK_PRIORITY_NORMAL,
    /// Before normal work.
    High = sys::CUZK_PRIORITY_HIGH,
    /// Before all other work.
    Critical = sys::CUZK_PRIORITY_CRITICAL,
}

impl JobOptions {
    pub(crate) fn with_c<T>(&self, f: impl FnOnce(*const sys::cuzk_job_options) -> Result<T>) -> Result<T> {
        let key = self.key.as_deref().map(|k| convert::text(k.as_bytes(), "job.key")).transpose()?;
        f(&sys::cuzk_job_options {
            struct_size: convert::size_of::<sys::cuzk_job_options>(),
            priority: self.priority as i32,
            key: convert::pointer(&key),
            // 0 would mean none.
            deadline_ms: self.deadline.map_or(0, |d| convert::milliseconds(d).max(1)),
            witness_only: self.witness_only.into(),
            reserved: 0,
        })
    }
}

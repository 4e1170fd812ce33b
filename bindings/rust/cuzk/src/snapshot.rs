//! What can be seen of an engine.

use crate::Backend;
use cuzk_sys as sys;
use std::ffi::{c_char, CStr};

/// What can be seen of an engine at one moment; sizes are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Where proofs are computed: never [`Backend::Auto`].
    pub backend: Backend,
    /// CPU threads.
    pub threads: u32,
    /// At most 16 of those that the engine may use or had to give up.
    pub devices: Vec<Device>,
    /// Jobs that have not begun.
    pub jobs_queued: u64,
    /// Jobs under way.
    pub jobs_running: u64,
    /// Ever; never decreases.
    pub jobs_done: u64,
    /// Ever; never decreases.
    pub jobs_failed: u64,
    /// Ever; never decreases.
    pub jobs_cancelled: u64,
    /// Partitions before the CPU's solvers.
    pub solve: Queue,
    /// Solved partitions before all provers.
    pub prove: Queue,
    /// Most that may be used.
    pub limit: Memory,
    /// Used by parameters.
    pub params: Memory,
    /// Used by partitions under way.
    pub partitions: Memory,
    /// Used by all else.
    pub other: Memory,
    /// The part of what is used that can be evicted now.
    pub idle_bytes: u64,
    /// Most that inputs of waiting jobs may take.
    pub input_limit: u64,
    /// What they take.
    pub input_used: u64,
    /// Parameters by where they are: on disk only, mapped, on devices.
    pub copies: [Copies; 3],
}

/// Waiting and running pieces of work of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Queue {
    /// All that wait.
    pub waiting: u32,
    /// All that run.
    pub running: u32,
}

/// Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// Pageable.
    pub host: u64,
    /// Page-locked.
    pub pinned: u64,
    /// Of all devices.
    pub device: u64,
}

/// Parameters at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copies {
    /// How many.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A device that the engine may use, or had to give up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Device {
    /// Its maker's name.
    pub name: String,
    /// Its identity.
    pub uuid: String,
    /// Bytes that the engine may use there.
    pub memory: u64,
    /// Those that it does.
    pub used: u64,
    /// False: it failed, and gets no work any more.
    pub usable: bool,
}

impl Snapshot {
    pub(crate) fn of(c: &sys::cuzk_snapshot) -> Self {
        let shown = c.devices.len().min(c.device_count as usize);
        Snapshot {
            backend: if c.backend == sys::CUZK_BACKEND_CUDA { Backend::Cuda } else { Backend::Cpu },
            threads: c.threads,
            devices: c.devices[..shown].iter().map(Device::of).collect(),
            jobs_queued: c.jobs_queued,
            jobs_running: c.jobs_running,
            jobs_done: c.jobs_done,
            jobs_failed: c.jobs_failed,
            jobs_cancelled: c.jobs_cancelled,
            solve: Queue { waiting: c.solve.waiting[0], running: c.solve.running },
            prove: Queue { waiting: c.prove.waiting[0], running: c.prove.running },
            limit: Memory::of(&c.limit),
            params: Memory::of(&c.used_params),
            partitions: Memory::of(&c.used_partitions),
            other: Memory::of(&c.used_other),
            idle_bytes: c.idle_bytes,
            input_limit: c.input_limit,
            input_used: c.input_used,
            copies: std::array::from_fn(|tier| Copies {
                count: c.params_count[tier],
                bytes: c.params_bytes[tier],
            }),
        }
    }
}

impl Memory {
    fn of(c: &sys::cuzk_memory) -> Self {
        Memory { host: c.host, pinned: c.pinned, device: c.device }
    }
}

impl Device {
    fn of(c: &sys::cuzk_device) -> Self {
        Device {
            name: text(&c.name),
            uuid: text(&c.uuid),
            memory: c.memory,
            used: c.used,
            usable: c.usable != 0,
        }
    }
}

/// The text before the first NUL.
fn text(chars: &[c_char]) -> String {
    let bytes: Vec<u8> = chars.iter().map(|&c| c as u8).collect();
    CStr::from_bytes_until_nul(&bytes).map_or_else(|_| String::new(), |t| t.to_string_lossy().into_owned())
}

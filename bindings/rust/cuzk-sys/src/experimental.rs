//! Snapshots, fixtures and measurements: what may still change before 1.0.

use crate::{cuzk_engine, cuzk_error, cuzk_job, cuzk_job_options, cuzk_status};
use core::ffi::c_char;

/// Parameters are only in their file.
pub const CUZK_TIER_DISK: i32 = 0;
/// The file is mapped.
pub const CUZK_TIER_MAPPED: i32 = 1;
/// In memory of a device.
pub const CUZK_TIER_DEVICE: i32 = 2;

/// Multiplications in the scalar field.
pub const CUZK_MEASURE_FIELD: i32 = 1;
/// One transform of so many values.
pub const CUZK_MEASURE_NTT: i32 = 2;
/// The sum of so many points of G1 times full scalars.
pub const CUZK_MEASURE_MSM_G1: i32 = 3;
/// The same in G2.
pub const CUZK_MEASURE_MSM_G2: i32 = 4;
/// The sum of half of so many points of G1.
pub const CUZK_MEASURE_BIT_SUM_G1: i32 = 5;
/// Hashes of eight field elements.
pub const CUZK_MEASURE_POSEIDON: i32 = 6;
/// Hashes of two nodes.
pub const CUZK_MEASURE_SHA256: i32 = 7;

/// Waiting and running pieces of work of one kind.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_queue {
    /// By `CUZK_PRIORITY_…`; the first is all of them.
    pub waiting: [u32; 5],
    /// Running pieces.
    pub running: u32,
    /// The longest wait.
    pub oldest_ms: u64,
}

/// Bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_memory {
    /// Pageable.
    pub host: u64,
    /// Page-locked.
    pub pinned: u64,
    /// Of all devices.
    pub device: u64,
}

/// A device that the engine may use, or had to give up.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_device {
    /// Ends with a NUL.
    pub name: [c_char; 48],
    /// Ends with a NUL.
    pub uuid: [c_char; 48],
    /// Bytes that the engine may use there.
    pub memory: u64,
    /// Those that it does.
    pub used: u64,
    /// 0: it failed.
    pub usable: u32,
    /// 0.
    pub reserved: u32,
}

/// What can be seen of an engine at one moment.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_snapshot {
    /// Size of this struct.
    pub struct_size: u32,
    /// `CUZK_BACKEND_CPU` or `CUZK_BACKEND_CUDA`.
    pub backend: i32,
    /// As `cuzk_version()`.
    pub version: *const c_char,
    /// CPU threads.
    pub threads: u32,
    /// May exceed the length of `devices`.
    pub device_count: u32,
    /// Now.
    pub jobs_queued: u64,
    /// Now.
    pub jobs_running: u64,
    /// Ever.
    pub jobs_done: u64,
    /// Ever.
    pub jobs_failed: u64,
    /// Ever.
    pub jobs_cancelled: u64,
    /// Partitions before the CPU's solvers.
    pub solve: cuzk_queue,
    /// Solved partitions before all provers.
    pub prove: cuzk_queue,
    /// Most that may be used.
    pub limit: cuzk_memory,
    /// Of parameters.
    pub used_params: cuzk_memory,
    /// Of partitions under way.
    pub used_partitions: cuzk_memory,
    /// Of all else.
    pub used_other: cuzk_memory,
    /// What can be evicted now.
    pub idle_bytes: u64,
    /// Bytes of inputs of jobs that wait.
    pub input_limit: u64,
    /// Bytes of inputs of jobs that wait.
    pub input_used: u64,
    /// Pieces of work that wait for memory.
    pub memory_waiting: u64,
    /// By `CUZK_TIER_…`.
    pub params_count: [u64; 3],
    /// By `CUZK_TIER_…`.
    pub params_bytes: [u64; 3],
    /// Events that the trace has no room for any more.
    pub lost_events: u64,
    /// The first of them.
    pub devices: [cuzk_device; 16],
}

/// The input of which proof to make, and where.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_fixture_options {
    /// Size of this struct.
    pub struct_size: u32,
    /// `CUZK_KIND_…`
    pub kind: i32,
    /// Bytes of a sector.
    pub sector_size: u64,
    /// Equal seeds give equal files.
    pub seed: u64,
    /// Of a WindowPoSt; 0: one.
    pub sectors: u64,
    /// Existing folder for the files.
    pub dir: *const c_char,
    /// NULL: nothing special.
    pub job: *const cuzk_job_options,
}

/// What to measure.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_measure_request {
    /// Size of this struct.
    pub struct_size: u32,
    /// `CUZK_MEASURE_…`
    pub what: i32,
    /// Logarithm of the number of elements.
    pub log2_size: u32,
    /// 0: one.
    pub repeats: u32,
    /// NULL: nothing special.
    pub job: *const cuzk_job_options,
}

#[allow(missing_docs)] // the header documents them
extern "C" {
    pub fn cuzk_engine_snapshot(
        engine: *mut cuzk_engine,
        snapshot: *mut cuzk_snapshot,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_submit_fixture(
        engine: *mut cuzk_engine,
        options: *const cuzk_fixture_options,
        out: *mut *mut cuzk_job,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_submit_measure(
        engine: *mut cuzk_engine,
        request: *const cuzk_measure_request,
        out: *mut *mut cuzk_job,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
}

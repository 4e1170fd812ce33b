//! The C ABI of libcuzk, declared for Rust.
//!
//! `include/cuzk.h` is the manual; the comments here only say which Rust type
//! stands for what. A test compiles every declaration against the header. Use
//! the safe crate `cuzk` unless you need exactly these calls.
#![no_std]
#![allow(non_camel_case_types)]

mod codes;
mod experimental;

pub use codes::*;
use core::ffi::{c_char, c_void};
pub use experimental::*;

/// Major version of the header these declarations follow.
pub const CUZK_VERSION_MAJOR: i32 = 0;
/// Minor version of the header these declarations follow.
pub const CUZK_VERSION_MINOR: i32 = 1;
/// Patch version of the header these declarations follow.
pub const CUZK_VERSION_PATCH: i32 = 0;
/// Version of the binary interface; compare it with [`cuzk_abi_version`].
pub const CUZK_ABI_VERSION: i32 = 0;

/// The best backend there is.
pub const CUZK_BACKEND_AUTO: i32 = 0;
/// The CPU.
pub const CUZK_BACKEND_CPU: i32 = 1;
/// A GPU, never the CPU instead.
pub const CUZK_BACKEND_CUDA: i32 = 2;

/// Check the published digest of parameter files.
pub const CUZK_CHECK_DIGEST: u32 = 1;
/// Check that every point of parameter files is in its prime-order subgroup.
pub const CUZK_CHECK_SUBGROUP: u32 = 2;

/// Critical for WinningPoSt, high for WindowPoSt, else normal; parameters low.
pub const CUZK_PRIORITY_AUTO: i32 = 0;
/// After everything else.
pub const CUZK_PRIORITY_LOW: i32 = 1;
/// Sealing and updates.
pub const CUZK_PRIORITY_NORMAL: i32 = 2;
/// Before normal work.
pub const CUZK_PRIORITY_HIGH: i32 = 3;
/// Before all other work.
pub const CUZK_PRIORITY_CRITICAL: i32 = 4;

/// Proof of replication.
pub const CUZK_KIND_POREP: i32 = 1;
/// WinningPoSt.
pub const CUZK_KIND_WINNING_POST: i32 = 2;
/// WindowPoSt.
pub const CUZK_KIND_WINDOW_POST: i32 = 3;
/// Empty-sector update (SnapDeals).
pub const CUZK_KIND_UPDATE: i32 = 4;
/// Of parameters alone: the SRS of aggregation.
pub const CUZK_KIND_AGGREGATE: i32 = 5;

/// SnarkPack version 1, which chains accept in old messages only.
pub const CUZK_SNARK_PACK_V1: i32 = 0;
/// SnarkPack version 2.
pub const CUZK_SNARK_PACK_V2: i32 = 1;

/// Result of a call: `CUZK_OK` or a negative `CUZK_ERR_…`.
pub type cuzk_status = i32;

/// A failure, owned by its receiver. Opaque: a number, not an address.
#[repr(C)]
pub struct cuzk_error {
    _opaque: [u8; 0],
}

/// A resident prover. Opaque: a number, not an address.
#[repr(C)]
pub struct cuzk_engine {
    _opaque: [u8; 0],
}

/// Work handed to an engine. Opaque: a number, not an address.
#[repr(C)]
pub struct cuzk_job {
    _opaque: [u8; 0],
}

/// How to open an engine; all zero but `struct_size` means the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_options {
    /// Size of this struct.
    pub struct_size: u32,
    /// `CUZK_BACKEND_…`
    pub backend: i32,
    /// Folder of parameter files, or NULL.
    pub params_dir: *const c_char,
    /// CPU threads, 0 for all.
    pub threads: u32,
    /// `CUZK_CHECK_…`, or-ed.
    pub params_check: u32,
    /// Bytes that proving may hold at once, 0 for no limit.
    pub memory_budget: u64,
    /// Bytes of the largest accepted input, 0 for 1 GiB.
    pub max_input: u64,
    /// GPUs by index or UUID, separated by commas, or NULL.
    pub devices: *const c_char,
    /// Path of `libcuzk_cuda.so`, or NULL.
    pub device_library: *const c_char,
    /// Bytes used on each device, 0 for what is free.
    pub device_memory_limit: u64,
    /// Milliseconds that jobs wait for others of their circuit, 0 for 10 s.
    pub max_batch_wait_ms: u64,
    /// Jobs that wait for each other, 0 for 4.
    pub max_batch_size: u32,
    /// Partitions that a device takes up at once, 0 for 3.
    pub device_slots: u32,
}

/// What every request may say of its job.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_job_options {
    /// Size of this struct.
    pub struct_size: u32,
    /// `CUZK_PRIORITY_…`
    pub priority: i32,
    /// Idempotency key, or NULL.
    pub key: *const c_char,
    /// Milliseconds from now, 0 for none.
    pub deadline_ms: u64,
    /// 1: a submitted proof ends once all partitions are solved.
    pub witness_only: u32,
    /// 0.
    pub reserved: u32,
}

/// What the chain knows of a sealed sector.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_porep_info {
    /// Size of this struct.
    pub struct_size: u32,
    /// The network's number of the seal proof, 0 to 19.
    pub registered_proof: i32,
    /// The sector's number.
    pub sector_number: u64,
    /// The miner's id as unsigned LEB128, then zeros.
    pub prover_id: [u8; 32],
    /// Commitment to the replica.
    pub comm_r: [u8; 32],
    /// Commitment to the data.
    pub comm_d: [u8; 32],
    /// Randomness of sealing.
    pub ticket: [u8; 32],
    /// Randomness of the challenges.
    pub seed: [u8; 32],
    /// 1: a non-interactive proof in un-aggregated form.
    pub circuit_proofs: u32,
    /// 0.
    pub reserved: u32,
}

/// What a proof of replication is to be made of.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_porep_request {
    /// Size of this struct.
    pub struct_size: u32,
    /// 1: of a non-interactive proof the proofs of all partitions.
    pub circuit_proofs: u32,
    /// JSON of seal_commit_phase1.
    pub c1_json: *const u8,
    /// Its length.
    pub c1_len: usize,
    /// The sector's number.
    pub sector_number: u64,
    /// The miner's id as unsigned LEB128, then zeros.
    pub prover_id: [u8; 32],
    /// NULL: nothing special.
    pub job: *const cuzk_job_options,
}

/// Some bytes of the caller.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_bytes {
    /// Their address.
    pub data: *const u8,
    /// Their number.
    pub len: usize,
}

/// A sector and its sealed commitment.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_post_sector {
    /// The sector's number.
    pub sector_number: u64,
    /// Commitment to the replica.
    pub comm_r: [u8; 32],
}

/// What a proof of spacetime is to be made of.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_post_request {
    /// Size of this struct.
    pub struct_size: u32,
    /// The network's number of the PoSt proof, 0 to 14.
    pub registered_proof: i32,
    /// Randomness of the challenges.
    pub randomness: [u8; 32],
    /// The miner's id as unsigned LEB128, then zeros.
    pub prover_id: [u8; 32],
    /// Bincode, one per sector, in ascending sector number.
    pub vanilla_proofs: *const cuzk_bytes,
    /// Their number.
    pub vanilla_count: usize,
    /// 1: one partition of a WindowPoSt.
    pub single: u32,
    /// Its index.
    pub partition: u32,
    /// NULL: nothing special.
    pub job: *const cuzk_job_options,
}

/// What the chain knows of a proof of spacetime.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_post_info {
    /// Size of this struct.
    pub struct_size: u32,
    /// The network's number of the PoSt proof, 0 to 14.
    pub registered_proof: i32,
    /// Randomness of the challenges.
    pub randomness: [u8; 32],
    /// The miner's id as unsigned LEB128, then zeros.
    pub prover_id: [u8; 32],
    /// The proved sectors, in any order.
    pub sectors: *const cuzk_post_sector,
    /// Their number.
    pub sector_count: usize,
    /// 1: one partition of a WindowPoSt.
    pub single: u32,
    /// Its index.
    pub partition: u32,
}

/// What the proof of a sector update is to be made of.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_update_request {
    /// Size of this struct.
    pub struct_size: u32,
    /// The network's number of the update proof, 0 to 4.
    pub registered_proof: i32,
    /// Commitment to the old replica.
    pub comm_r_old: [u8; 32],
    /// Commitment to the new replica.
    pub comm_r_new: [u8; 32],
    /// Commitment to the new data.
    pub comm_d_new: [u8; 32],
    /// Bincode, one per partition, in order.
    pub vanilla_proofs: *const cuzk_bytes,
    /// Their number.
    pub vanilla_count: usize,
    /// NULL: nothing special.
    pub job: *const cuzk_job_options,
}

/// What the chain knows of a sector update.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_update_info {
    /// Size of this struct.
    pub struct_size: u32,
    /// The network's number of the update proof, 0 to 4.
    pub registered_proof: i32,
    /// Commitment to the old replica.
    pub comm_r_old: [u8; 32],
    /// Commitment to the new replica.
    pub comm_r_new: [u8; 32],
    /// Commitment to the new data.
    pub comm_d_new: [u8; 32],
}

/// What the chain knows of one sector of an aggregate.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_aggregate_sector {
    /// The sector's number.
    pub sector_number: u64,
    /// Commitment to the replica.
    pub comm_r: [u8; 32],
    /// Commitment to the data.
    pub comm_d: [u8; 32],
    /// Randomness of sealing.
    pub ticket: [u8; 32],
    /// Randomness of the challenges.
    pub seed: [u8; 32],
}

/// Seal proofs to aggregate.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_aggregate_request {
    /// Size of this struct.
    pub struct_size: u32,
    /// The network's number of the seal proof, 0 to 19.
    pub registered_proof: i32,
    /// `CUZK_SNARK_PACK_…`
    pub version: i32,
    /// 1: of the sectors only comm_r and seed are known.
    pub commitments_only: u32,
    /// The miner's id as unsigned LEB128, then zeros.
    pub prover_id: [u8; 32],
    /// The sectors.
    pub sectors: *const cuzk_aggregate_sector,
    /// Their number.
    pub sector_count: usize,
    /// Their seal proofs, in the same order.
    pub proofs: *const cuzk_bytes,
    /// As many as sectors.
    pub proof_count: usize,
    /// NULL: nothing special.
    pub job: *const cuzk_job_options,
}

/// What the chain knows of an aggregate.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_aggregate_info {
    /// Size of this struct.
    pub struct_size: u32,
    /// The network's number of the seal proof, 0 to 19.
    pub registered_proof: i32,
    /// `CUZK_SNARK_PACK_…`
    pub version: i32,
    /// 0.
    pub reserved: u32,
    /// The miner's id as unsigned LEB128, then zeros.
    pub prover_id: [u8; 32],
    /// The sectors in the order in which they were aggregated.
    pub sectors: *const cuzk_aggregate_sector,
    /// Their number.
    pub sector_count: usize,
}

/// An aggregate and what it is said to prove.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_aggregate_claim {
    /// What the chain knows of it.
    pub info: *const cuzk_aggregate_info,
    /// Its bytes.
    pub aggregate: *const u8,
    /// Their number.
    pub aggregate_len: usize,
}

/// Which test parameters to make, and where.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_params_options {
    /// Size of this struct.
    pub struct_size: u32,
    /// `CUZK_KIND_…`
    pub kind: i32,
    /// Bytes of a sector.
    pub sector_size: u64,
    /// Existing folder for the files, or NULL for the engine's.
    pub dir: *const c_char,
    /// Label of fixed secrets, or NULL for random ones.
    pub seed_label: *const c_char,
    /// NULL: nothing special.
    pub job: *const cuzk_job_options,
    /// For `CUZK_KIND_AGGREGATE`, else 0: points per vector of the SRS.
    pub length: u64,
}

/// How far a piece of work is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuzk_progress {
    /// Size of this struct as the library knows it.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// Name of the stage, valid during the callback.
    pub stage: *const c_char,
    /// Finished part of `total`, in units of the stage.
    pub done: u64,
    /// 0 if unknown.
    pub total: u64,
}

/// Receives progress; a result other than 0 cancels the work.
pub type cuzk_progress_fn =
    Option<unsafe extern "C" fn(progress: *const cuzk_progress, payload: *mut c_void) -> i32>;

#[allow(missing_docs)] // the header documents them
extern "C" {
    pub fn cuzk_abi_version() -> i32;
    pub fn cuzk_version() -> *const c_char;
    pub fn cuzk_status_name(status: cuzk_status) -> *const c_char;

    pub fn cuzk_error_code(err: *const cuzk_error) -> cuzk_status;
    pub fn cuzk_error_message(err: *const cuzk_error) -> *const c_char;
    pub fn cuzk_error_detail(err: *const cuzk_error) -> *const c_char;
    pub fn cuzk_error_retryable(err: *const cuzk_error) -> i32;
    pub fn cuzk_error_free(err: *mut cuzk_error);

    pub fn cuzk_init(
        options: *const cuzk_options,
        out: *mut *mut cuzk_engine,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_free(engine: *mut cuzk_engine);

    pub fn cuzk_prove_porep(
        engine: *mut cuzk_engine,
        c1_json: *const u8,
        c1_len: usize,
        sector_number: u64,
        prover_id: *const u8,
        proof: *mut u8,
        proof_len: *mut usize,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_verify_porep(
        engine: *mut cuzk_engine,
        info: *const cuzk_porep_info,
        proof: *const u8,
        proof_len: usize,
        valid: *mut i32,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;

    pub fn cuzk_prove_post(
        engine: *mut cuzk_engine,
        request: *const cuzk_post_request,
        proof: *mut u8,
        proof_len: *mut usize,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_verify_post(
        engine: *mut cuzk_engine,
        info: *const cuzk_post_info,
        proof: *const u8,
        proof_len: usize,
        valid: *mut i32,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_post_merge(
        registered_proof: i32,
        parts: *const cuzk_bytes,
        count: usize,
        proof: *mut u8,
        proof_len: *mut usize,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_post_winner(
        registered_proof: i32,
        randomness: *const u8,
        prover_id: *const u8,
        eligible: u64,
        index: *mut u64,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_post_partitions(
        registered_proof: i32,
        sector_count: u64,
        partitions: *mut u64,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_post_challenges(
        registered_proof: i32,
        randomness: *const u8,
        sectors: *const u64,
        sector_count: usize,
        challenges: *mut u64,
        count: *mut usize,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;

    pub fn cuzk_prove_update(
        engine: *mut cuzk_engine,
        request: *const cuzk_update_request,
        proof: *mut u8,
        proof_len: *mut usize,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_verify_update(
        engine: *mut cuzk_engine,
        info: *const cuzk_update_info,
        proof: *const u8,
        proof_len: usize,
        valid: *mut i32,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_verify_update_vanilla(
        engine: *mut cuzk_engine,
        info: *const cuzk_update_info,
        vanilla_proofs: *const cuzk_bytes,
        vanilla_count: usize,
        valid: *mut i32,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;

    pub fn cuzk_aggregate(
        engine: *mut cuzk_engine,
        request: *const cuzk_aggregate_request,
        aggregate: *mut u8,
        aggregate_len: *mut usize,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_verify_aggregate(
        engine: *mut cuzk_engine,
        info: *const cuzk_aggregate_info,
        aggregate: *const u8,
        aggregate_len: usize,
        valid: *mut i32,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_verify_aggregates(
        engine: *mut cuzk_engine,
        claims: *const cuzk_aggregate_claim,
        count: usize,
        verdicts: *mut cuzk_status,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;

    pub fn cuzk_params_make(
        engine: *mut cuzk_engine,
        options: *const cuzk_params_options,
        callback: cuzk_progress_fn,
        payload: *mut c_void,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;

    pub fn cuzk_submit_porep(
        engine: *mut cuzk_engine,
        request: *const cuzk_porep_request,
        out: *mut *mut cuzk_job,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_submit_post(
        engine: *mut cuzk_engine,
        request: *const cuzk_post_request,
        out: *mut *mut cuzk_job,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_submit_update(
        engine: *mut cuzk_engine,
        request: *const cuzk_update_request,
        out: *mut *mut cuzk_job,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_submit_aggregate(
        engine: *mut cuzk_engine,
        request: *const cuzk_aggregate_request,
        out: *mut *mut cuzk_job,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_submit_params(
        engine: *mut cuzk_engine,
        options: *const cuzk_params_options,
        out: *mut *mut cuzk_job,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_job_wait(
        job: *mut cuzk_job,
        timeout_ms: i64,
        callback: cuzk_progress_fn,
        payload: *mut c_void,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_job_result(
        job: *mut cuzk_job,
        out: *mut u8,
        len: *mut usize,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_job_report(
        job: *mut cuzk_job,
        out: *mut u8,
        len: *mut usize,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_job_cancel(job: *mut cuzk_job, ended: *mut i32, err: *mut *mut cuzk_error) -> cuzk_status;
    pub fn cuzk_job_free(job: *mut cuzk_job);

    pub fn cuzk_submit_load(
        engine: *mut cuzk_engine,
        kind: i32,
        sector_size: u64,
        out: *mut *mut cuzk_job,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_params_evict(
        engine: *mut cuzk_engine,
        kind: i32,
        sector_size: u64,
        freed: *mut u64,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_engine_status(
        engine: *mut cuzk_engine,
        out: *mut u8,
        len: *mut usize,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_engine_metrics(
        engine: *mut cuzk_engine,
        out: *mut u8,
        len: *mut usize,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_engine_trace(
        engine: *mut cuzk_engine,
        out: *mut u8,
        len: *mut usize,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
    pub fn cuzk_engine_drain(
        engine: *mut cuzk_engine,
        timeout_ms: i64,
        err: *mut *mut cuzk_error,
    ) -> cuzk_status;
}

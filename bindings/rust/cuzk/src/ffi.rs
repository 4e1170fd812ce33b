//! The C ABI in safe clothing: the only file with `unsafe` code.
//!
//! What makes it sound, from the header's rules:
//! * handles are numbers that libcuzk looks up, so that even a stale one is an
//!   error and never a bad access, and every function may be called from any
//!   thread;
//! * inputs are read during the call and not kept;
//! * callbacks run inside the call that they are passed to, on its thread.

use crate::{
    aggregate::with_claims,
    convert::{self, byte_list, first, start, timeout},
    AggregateInfo, AggregateRequest, Code, Error, FixtureRequest, Kind, MeasureRequest, Options,
    ParamsRequest, PorepInfo, PorepRequest, PostInfo, PostRequest, Progress, Result, Snapshot, UpdateInfo,
    UpdateRequest,
};
use cuzk_sys as sys;
use std::{
    any::Any,
    ffi::{c_char, c_void, CStr},
    mem::{size_of, MaybeUninit},
    ops::ControlFlow,
    panic::{catch_unwind, resume_unwind, AssertUnwindSafe},
    ptr,
    time::Duration,
};

/// Proof bytes of 32 and 64 GiB PoRep, so that most calls need no second try.
const PROOF_GUESS: usize = 1920;

/// The version of the linked libcuzk, such as `0.1.0`.
pub fn version() -> &'static str {
    // SAFETY: static, NUL-terminated text.
    unsafe { CStr::from_ptr(sys::cuzk_version()) }.to_str().unwrap_or("unknown")
}

/// An owned engine handle.
#[derive(Debug)]
pub(crate) struct Engine(*mut sys::cuzk_engine);

// SAFETY: the pointer is a number that is never dereferenced, and libcuzk
// serves every function from any thread.
unsafe impl Send for Engine {}
unsafe impl Sync for Engine {}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: any handle may be freed.
        unsafe { sys::cuzk_free(self.0) }
    }
}

impl Engine {
    pub fn open(options: &Options) -> Result<Self> {
        // SAFETY: takes no argument.
        let abi = unsafe { sys::cuzk_abi_version() };
        if abi != sys::CUZK_ABI_VERSION {
            let (want, version) = (sys::CUZK_ABI_VERSION, version());
            let text = format!("libcuzk {version} has binary interface {abi}, this crate needs {want}");
            return Err(Error::new(Code::Unsupported, "abi", text));
        }
        let mut out = ptr::null_mut();
        // SAFETY: the struct and the text in it outlive the call.
        options.with_c(|c| call(|err| unsafe { sys::cuzk_init(c, &mut out, err) }))?;
        Ok(Engine(out))
    }

    pub fn prove_porep(&self, c1: &[u8], sector: u64, prover_id: &[u8; 32]) -> Result<Vec<u8>> {
        // SAFETY: the arrays outlive the call and have the stated lengths.
        filled(PROOF_GUESS, |out, len, err| unsafe {
            sys::cuzk_prove_porep(self.0, start(c1), c1.len(), sector, prover_id.as_ptr(), out, len, err)
        })
    }

    pub fn prove_post(&self, request: &PostRequest<'_>) -> Result<Vec<u8>> {
        // SAFETY: the struct and what it points to outlive the call; also below.
        request.with_c(|c| {
            filled(PROOF_GUESS, |out, len, err| unsafe { sys::cuzk_prove_post(self.0, c, out, len, err) })
        })
    }

    pub fn prove_update(&self, request: &UpdateRequest<'_>) -> Result<Vec<u8>> {
        request.with_c(|c| {
            filled(PROOF_GUESS, |out, len, err| unsafe { sys::cuzk_prove_update(self.0, c, out, len, err) })
        })
    }

    pub fn verify_porep(&self, info: &PorepInfo, proof: &[u8]) -> Result<bool> {
        info.with_c(|c| {
            verdict(|valid, err| unsafe {
                sys::cuzk_verify_porep(self.0, c, start(proof), proof.len(), valid, err)
            })
        })
    }

    pub fn verify_post(&self, info: &PostInfo, proof: &[u8]) -> Result<bool> {
        info.with_c(|c| {
            verdict(|valid, err| unsafe {
                sys::cuzk_verify_post(self.0, c, start(proof), proof.len(), valid, err)
            })
        })
    }

    pub fn verify_update(&self, info: &UpdateInfo, proof: &[u8]) -> Result<bool> {
        info.with_c(|c| {
            verdict(|valid, err| unsafe {
                sys::cuzk_verify_update(self.0, c, start(proof), proof.len(), valid, err)
            })
        })
    }

    pub fn verify_update_vanilla(&self, info: &UpdateInfo, vanilla_proofs: &[&[u8]]) -> Result<bool> {
        let list = byte_list(vanilla_proofs);
        info.with_c(|c| {
            verdict(|valid, err| unsafe {
                sys::cuzk_verify_update_vanilla(self.0, c, first(&list), list.len(), valid, err)
            })
        })
    }

    pub fn submit_porep(&self, request: &PorepRequest<'_>) -> Result<Job> {
        // SAFETY: libcuzk copies what the struct points to; also below.
        request.with_c(|c| Job::of(|out, err| unsafe { sys::cuzk_submit_porep(self.0, c, out, err) }))
    }

    pub fn submit_post(&self, request: &PostRequest<'_>) -> Result<Job> {
        request.with_c(|c| Job::of(|out, err| unsafe { sys::cuzk_submit_post(self.0, c, out, err) }))
    }

    pub fn submit_update(&self, request: &UpdateRequest<'_>) -> Result<Job> {
        request.with_c(|c| Job::of(|out, err| unsafe { sys::cuzk_submit_update(self.0, c, out, err) }))
    }

    pub fn aggregate(&self, request: &AggregateRequest<'_>) -> Result<Vec<u8>> {
        request.with_c(|c| {
            filled(PROOF_GUESS, |out, len, err| unsafe { sys::cuzk_aggregate(self.0, c, out, len, err) })
        })
    }

    pub fn verify_aggregate(&self, info: &AggregateInfo, aggregate: &[u8]) -> Result<bool> {
        info.with_c(|c| {
            verdict(|valid, err| unsafe {
                sys::cuzk_verify_aggregate(self.0, c, start(aggregate), aggregate.len(), valid, err)
            })
        })
    }

    pub fn verify_aggregates(
        &self,
        claims: &[(&AggregateInfo, &[u8])],
    ) -> Result<Vec<std::result::Result<(), Code>>> {
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        let mut verdicts = vec![0; claims.len()];
        with_claims(claims, |c| {
            call(|err| unsafe {
                sys::cuzk_verify_aggregates(self.0, c.as_ptr(), c.len(), verdicts.as_mut_ptr(), err)
            })
        })?;
        Ok(verdicts
            .into_iter()
            .map(|v| if v == 0 { Ok(()) } else { Err(Code::from_status(v).unwrap_or(Code::Internal)) })
            .collect())
    }

    pub fn submit_aggregate(&self, request: &AggregateRequest<'_>) -> Result<Job> {
        request.with_c(|c| Job::of(|out, err| unsafe { sys::cuzk_submit_aggregate(self.0, c, out, err) }))
    }

    pub fn submit_params(&self, request: &ParamsRequest) -> Result<Job> {
        request.with_c(|c| Job::of(|out, err| unsafe { sys::cuzk_submit_params(self.0, c, out, err) }))
    }

    pub fn submit_fixture(&self, request: &FixtureRequest) -> Result<Job> {
        request.with_c(|c| Job::of(|out, err| unsafe { sys::cuzk_submit_fixture(self.0, c, out, err) }))
    }

    pub fn submit_measure(&self, request: &MeasureRequest) -> Result<Job> {
        request.with_c(|c| Job::of(|out, err| unsafe { sys::cuzk_submit_measure(self.0, c, out, err) }))
    }

    pub fn submit_load(&self, kind: Kind, sector_size: u64) -> Result<Job> {
        // SAFETY: any handle may be passed; also below.
        Job::of(|out, err| unsafe { sys::cuzk_submit_load(self.0, kind as i32, sector_size, out, err) })
    }

    pub fn evict_params(&self, kind: i32, sector_size: u64) -> Result<u64> {
        let mut freed = 0;
        call(|err| unsafe { sys::cuzk_params_evict(self.0, kind, sector_size, &mut freed, err) })?;
        Ok(freed)
    }

    pub fn snapshot(&self) -> Result<Snapshot> {
        // SAFETY: all zeros is a valid snapshot.
        let mut c: sys::cuzk_snapshot = unsafe { MaybeUninit::zeroed().assume_init() };
        c.struct_size = convert::size_of::<sys::cuzk_snapshot>();
        // SAFETY: a struct of the length that it says.
        call(|err| unsafe { sys::cuzk_engine_snapshot(self.0, &mut c, err) })?;
        Ok(Snapshot::of(&c))
    }

    pub fn status(&self) -> Result<String> {
        // SAFETY: `report` passes a buffer of the stated capacity; also below.
        report(|out, len, err| unsafe { sys::cuzk_engine_status(self.0, out, len, err) })
    }

    pub fn metrics(&self) -> Result<String> {
        report(|out, len, err| unsafe { sys::cuzk_engine_metrics(self.0, out, len, err) })
    }

    pub fn trace(&self) -> Result<String> {
        report(|out, len, err| unsafe { sys::cuzk_engine_trace(self.0, out, len, err) })
    }

    pub fn drain(&self, limit: Option<Duration>) -> Result<()> {
        // SAFETY: any handle may be passed.
        call(|err| unsafe { sys::cuzk_engine_drain(self.0, timeout(limit), err) })
    }

    pub fn make_params(&self, request: &ParamsRequest, progress: &mut Callback<'_>) -> Result<()> {
        request.with_c(|c| {
            listening(progress, |listen, payload| {
                // SAFETY: the options and the payload outlive the call.
                call(|err| unsafe { sys::cuzk_params_make(self.0, c, listen, payload, err) })
            })
        })
    }
}

/// Joins the proofs of partitions.
pub(crate) fn merge_post(registered_proof: i32, parts: &[sys::cuzk_bytes]) -> Result<Vec<u8>> {
    // SAFETY: the list and the bytes outlive the call.
    filled(PROOF_GUESS, |out, len, err| unsafe {
        sys::cuzk_post_merge(registered_proof, first(parts), parts.len(), out, len, err)
    })
}

/// The index of the sector that a WinningPoSt is about.
pub(crate) fn post_winner(
    registered_proof: i32,
    randomness: &[u8; 32],
    prover_id: &[u8; 32],
    eligible: u64,
) -> Result<u64> {
    let (randomness, prover_id, mut index) = (randomness.as_ptr(), prover_id.as_ptr(), 0);
    // SAFETY: two arrays of 32 bytes and a place for one number.
    call(|err| unsafe {
        sys::cuzk_post_winner(registered_proof, randomness, prover_id, eligible, &mut index, err)
    })?;
    Ok(index)
}

/// The number of partitions of a WindowPoSt.
pub(crate) fn post_partitions(registered_proof: i32, sectors: u64) -> Result<u64> {
    let mut partitions = 0;
    // SAFETY: a place for one number.
    call(|err| unsafe { sys::cuzk_post_partitions(registered_proof, sectors, &mut partitions, err) })?;
    Ok(partitions)
}

/// The challenged nodes, as many for each sector, sector by sector.
pub(crate) fn post_challenges(
    registered_proof: i32,
    randomness: &[u8; 32],
    sectors: &[u64],
) -> Result<Vec<u64>> {
    // WinningPoSt has the most challenges for one sector, WindowPoSt 10 for each.
    filled(66 + 10 * sectors.len(), |out, count, err| {
        // SAFETY: an array of 32 bytes, a list of the stated length, and `filled`'s buffer.
        unsafe {
            let (randomness, list) = (randomness.as_ptr(), first(sectors));
            sys::cuzk_post_challenges(registered_proof, randomness, list, sectors.len(), out, count, err)
        }
    })
}

/// An owned job handle.
#[derive(Debug)]
pub(crate) struct Job(*mut sys::cuzk_job);

// SAFETY: as for Engine.
unsafe impl Send for Job {}
unsafe impl Sync for Job {}

impl Drop for Job {
    fn drop(&mut self) {
        // SAFETY: any handle may be freed.
        unsafe { sys::cuzk_job_free(self.0) }
    }
}

impl Job {
    /// The job that a submit call started.
    fn of(
        f: impl FnOnce(*mut *mut sys::cuzk_job, *mut *mut sys::cuzk_error) -> sys::cuzk_status,
    ) -> Result<Self> {
        let mut out = ptr::null_mut();
        call(|err| f(&mut out, err))?;
        Ok(Job(out))
    }

    /// None waits for ever.
    pub fn wait(&self, limit: Option<Duration>, progress: &mut Callback<'_>) -> Result<()> {
        listening(progress, |listen, payload| {
            // SAFETY: the payload outlives the call.
            call(|err| unsafe { sys::cuzk_job_wait(self.0, timeout(limit), listen, payload, err) })
        })
    }

    pub fn result(&self) -> Result<Vec<u8>> {
        // SAFETY: `filled` passes a buffer of the stated capacity.
        filled(PROOF_GUESS, |out, len, err| unsafe { sys::cuzk_job_result(self.0, out, len, err) })
    }

    pub fn report(&self) -> Result<String> {
        // SAFETY: as in result.
        report(|out, len, err| unsafe { sys::cuzk_job_report(self.0, out, len, err) })
    }

    /// Whether it was under way.
    pub fn cancel(&self) -> Result<bool> {
        let mut ended = 0;
        // SAFETY: any handle may be passed; the output is ours.
        call(|err| unsafe { sys::cuzk_job_cancel(self.0, &mut ended, err) })?;
        Ok(ended == 0)
    }
}

/// Makes one call, and an Error of its status and error object.
fn call(f: impl FnOnce(*mut *mut sys::cuzk_error) -> sys::cuzk_status) -> Result<()> {
    let mut err = ptr::null_mut();
    match f(&mut err) {
        sys::CUZK_OK => Ok(()),
        status => Err(take(status, err)),
    }
}

/// Copies an error object and frees it. It is NULL when memory was short.
fn take(status: sys::cuzk_status, err: *mut sys::cuzk_error) -> Error {
    let code = Code::from_status(status).unwrap_or(Code::Internal);
    if err.is_null() {
        return Error { status, ..Error::new(code, "", format!("libcuzk returned {status} without a text")) };
    }
    // SAFETY: these functions accept any handle and return valid text that
    // lives until the error is freed, which happens after the copies.
    unsafe {
        let error = Error {
            code,
            status,
            message: text(sys::cuzk_error_message(err)),
            detail: text(sys::cuzk_error_detail(err)),
            retryable: sys::cuzk_error_retryable(err) == 1,
        };
        sys::cuzk_error_free(err);
        error
    }
}

/// # Safety
/// `p` is NUL-terminated text that lives during the call.
unsafe fn text(p: *const c_char) -> String {
    unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()
}

/// Makes a call that copies text, which may grow between two tries.
fn report(f: impl Fn(*mut u8, *mut usize, *mut *mut sys::cuzk_error) -> sys::cuzk_status) -> Result<String> {
    let bytes = filled(4096, f)?;
    String::from_utf8(bytes).map_err(|e| Error::new(Code::Internal, "", format!("text of libcuzk: {e}")))
}

/// Makes a verify call and reads its verdict.
fn verdict(f: impl FnOnce(*mut i32, *mut *mut sys::cuzk_error) -> sys::cuzk_status) -> Result<bool> {
    let mut valid = 0;
    call(|err| f(&mut valid, err))?;
    Ok(valid == 1)
}

/// The two-call rule: tries with a guessed capacity, then with the needed one;
/// both count elements.
fn filled<T: Copy + Default>(
    guess: usize,
    f: impl Fn(*mut T, *mut usize, *mut *mut sys::cuzk_error) -> sys::cuzk_status,
) -> Result<Vec<T>> {
    let mut out = vec![T::default(); guess];
    loop {
        let mut len = out.len();
        match call(|err| f(out.as_mut_ptr(), &mut len, err)) {
            Ok(()) => {
                out.truncate(len);
                return Ok(out);
            }
            Err(e) if e.code == Code::BufferShort && len > out.len() => out.resize(len, T::default()),
            Err(e) => return Err(e),
        }
    }
}

/// What callers pass to hear of progress.
pub(crate) type Callback<'a> = dyn FnMut(Progress<'_>) -> ControlFlow<()> + 'a;

/// The payload of [`listen`]. It lies on the stack of [`listening`]: callbacks
/// never outlive the call, so nothing needs to be boxed.
struct Listener<'a, 'b> {
    callback: &'a mut Callback<'b>,
    panic: Option<Box<dyn Any + Send>>,
}

/// Runs a call that may call back, and lets a panic of the callback go on here,
/// after C has returned.
fn listening(
    callback: &mut Callback<'_>,
    f: impl FnOnce(sys::cuzk_progress_fn, *mut c_void) -> Result<()>,
) -> Result<()> {
    let mut listener = Listener { callback, panic: None };
    let result = f(Some(listen), ptr::addr_of_mut!(listener).cast());
    match listener.panic {
        Some(panic) => resume_unwind(panic),
        None => result,
    }
}

/// # Safety
/// `payload` is the Listener of the call that this runs in, and `progress` is
/// what the header promises.
unsafe extern "C" fn listen(progress: *const sys::cuzk_progress, payload: *mut c_void) -> i32 {
    // SAFETY: the call runs on this thread, so nobody else uses the listener.
    let listener = unsafe { &mut *payload.cast::<Listener<'_, '_>>() };
    if listener.panic.is_some() {
        return 1;
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: passed on from the caller.
        let p = unsafe { copied(progress) };
        let stage = match p.stage.is_null() {
            true => c"",
            // SAFETY: text that is valid during the callback.
            false => unsafe { CStr::from_ptr(p.stage) },
        };
        (listener.callback)(Progress {
            stage: &stage.to_string_lossy(),
            done: p.done,
            total: (p.total != 0).then_some(p.total),
        })
    }));
    match outcome {
        Ok(ControlFlow::Continue(())) => 0,
        Ok(ControlFlow::Break(())) => 1,
        Err(panic) => {
            listener.panic = Some(panic);
            1
        }
    }
}

/// Copies a progress struct of any size: what it lacks is 0, more is ignored.
///
/// # Safety
/// `p` points to `struct_size` readable bytes, the first of which say so.
unsafe fn copied(p: *const sys::cuzk_progress) -> sys::cuzk_progress {
    let mut copy = MaybeUninit::<sys::cuzk_progress>::zeroed();
    // SAFETY: at most both sizes are copied; all zeros is a valid cuzk_progress.
    unsafe {
        let size = (ptr::addr_of!((*p).struct_size).read() as usize).min(size_of::<sys::cuzk_progress>());
        ptr::copy_nonoverlapping(p.cast::<u8>(), copy.as_mut_ptr().cast::<u8>(), size);
        copy.assume_init()
    }
}

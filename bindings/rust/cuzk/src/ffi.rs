//! The C ABI in safe clothing: the only file with `unsafe` code.
//!
//! What makes it sound, from the header's rules:
//! * handles are numbers that libcuzk looks up, so that even a stale one is an
//!   error and never a bad access, and every function may be called from any
//!   thread;
//! * inputs are read during the call and not kept;
//! * callbacks run inside the call that they are passed to, on its thread.

use crate::{error::Code, Error, Options, ParamsRequest, PorepInfo, Progress, Result};
use cuzk_sys as sys;
use std::{
    any::Any,
    ffi::{c_char, c_void, CStr, CString},
    mem::{size_of, MaybeUninit},
    ops::ControlFlow,
    os::unix::ffi::OsStrExt,
    panic::{catch_unwind, resume_unwind, AssertUnwindSafe},
    path::Path,
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
        let dir = c_path(options.params_dir.as_deref(), "options.params_dir")?;
        let c = sys::cuzk_options {
            struct_size: size_of::<sys::cuzk_options>() as u32,
            backend: options.backend as i32,
            params_dir: c_pointer(&dir),
            threads: options.threads,
            params_check: options.params_check.bits(),
            memory_budget: options.memory_budget,
            max_input: options.max_input,
        };
        let mut out = ptr::null_mut();
        // SAFETY: `c` and the text in it outlive the call.
        call(|err| unsafe { sys::cuzk_init(&c, &mut out, err) })?;
        Ok(Engine(out))
    }

    pub fn prove_porep(&self, c1: &[u8], sector: u64, prover_id: &[u8; 32]) -> Result<Vec<u8>> {
        // SAFETY: the arrays outlive the call and have the stated lengths.
        filled(PROOF_GUESS, |out, len, err| unsafe {
            sys::cuzk_prove_porep(self.0, start(c1), c1.len(), sector, prover_id.as_ptr(), out, len, err)
        })
    }

    pub fn submit_porep(&self, c1: &[u8], sector: u64, prover_id: &[u8; 32]) -> Result<Job> {
        let mut out = ptr::null_mut();
        // SAFETY: as in prove_porep; libcuzk copies the input.
        call(|err| unsafe {
            sys::cuzk_submit_porep(self.0, start(c1), c1.len(), sector, prover_id.as_ptr(), &mut out, err)
        })?;
        Ok(Job(out))
    }

    pub fn verify_porep(&self, info: &PorepInfo, proof: &[u8]) -> Result<bool> {
        let c = sys::cuzk_porep_info {
            struct_size: size_of::<sys::cuzk_porep_info>() as u32,
            registered_proof: info.registered_proof,
            sector_number: info.sector_number,
            prover_id: info.prover_id,
            comm_r: info.comm_r,
            comm_d: info.comm_d,
            ticket: info.ticket,
            seed: info.seed,
        };
        let mut valid = 0;
        // SAFETY: the struct and the array outlive the call.
        call(|err| unsafe {
            sys::cuzk_verify_porep(self.0, &c, start(proof), proof.len(), &mut valid, err)
        })?;
        Ok(valid == 1)
    }

    pub fn make_params(&self, request: &ParamsRequest, progress: &mut Callback<'_>) -> Result<()> {
        with_params_options(request, |c| {
            listening(progress, |listen, payload| {
                // SAFETY: the options and the payload outlive the call.
                call(|err| unsafe { sys::cuzk_params_make(self.0, c, listen, payload, err) })
            })
        })
    }

    pub fn submit_params(&self, request: &ParamsRequest) -> Result<Job> {
        let mut out = ptr::null_mut();
        // SAFETY: the options outlive the call.
        with_params_options(request, |c| {
            call(|err| unsafe { sys::cuzk_submit_params(self.0, c, &mut out, err) })
        })?;
        Ok(Job(out))
    }
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
    /// None waits for ever.
    pub fn wait(&self, timeout: Option<Duration>, progress: &mut Callback<'_>) -> Result<()> {
        // Rounded up: a wait of some microseconds is not a look.
        let ms = timeout.map_or(-1, |t| i64::try_from(t.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX));
        listening(progress, |listen, payload| {
            // SAFETY: the payload outlives the call.
            call(|err| unsafe { sys::cuzk_job_wait(self.0, ms, listen, payload, err) })
        })
    }

    pub fn result(&self) -> Result<Vec<u8>> {
        // SAFETY: `filled` passes a buffer of the stated capacity.
        filled(PROOF_GUESS, |out, len, err| unsafe { sys::cuzk_job_result(self.0, out, len, err) })
    }

    pub fn report(&self) -> Result<String> {
        // SAFETY: as in result.
        let json = filled(4096, |out, len, err| unsafe { sys::cuzk_job_report(self.0, out, len, err) })?;
        String::from_utf8(json).map_err(|e| Error::new(Code::Internal, "", format!("job report: {e}")))
    }

    pub fn cancel(&self) -> Result<()> {
        // SAFETY: any handle may be passed.
        call(|err| unsafe { sys::cuzk_job_cancel(self.0, err) })
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

/// The two-call rule: tries with a guessed capacity, then with the needed one.
fn filled(
    guess: usize,
    f: impl Fn(*mut u8, *mut usize, *mut *mut sys::cuzk_error) -> sys::cuzk_status,
) -> Result<Vec<u8>> {
    let mut out = vec![0; guess];
    loop {
        let mut len = out.len();
        match call(|err| f(out.as_mut_ptr(), &mut len, err)) {
            Ok(()) => {
                out.truncate(len);
                return Ok(out);
            }
            Err(e) if e.code == Code::BufferShort && len > out.len() => out.resize(len, 0),
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

fn with_params_options<T>(
    request: &ParamsRequest,
    f: impl FnOnce(*const sys::cuzk_params_options) -> Result<T>,
) -> Result<T> {
    let dir = c_path(request.dir.as_deref(), "request.dir")?;
    let label = request.seed_label.as_deref();
    let label = label.map(|l| c_text(l.as_bytes(), "request.seed_label")).transpose()?;
    f(&sys::cuzk_params_options {
        struct_size: size_of::<sys::cuzk_params_options>() as u32,
        kind: request.kind as i32,
        sector_size: request.sector_size,
        dir: c_pointer(&dir),
        seed_label: c_pointer(&label),
    })
}

fn c_path(path: Option<&Path>, what: &str) -> Result<Option<CString>> {
    path.map(|p| c_text(p.as_os_str().as_bytes(), what)).transpose()
}

/// Text for C; a NUL inside would cut it.
fn c_text(bytes: &[u8], what: &str) -> Result<CString> {
    CString::new(bytes)
        .map_err(|e| Error::new(Code::Argument, what, format!("NUL at byte {} of {what}", e.nul_position())))
}

/// The address of input bytes. Rust's empty slices have an invented one, which
/// must not reach a garbage collector that minds.
fn start(bytes: &[u8]) -> *const u8 {
    static NOTHING: u8 = 0;
    match bytes {
        [] => &NOTHING,
        _ => bytes.as_ptr(),
    }
}

fn c_pointer(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(ptr::null(), |t| t.as_ptr())
}

//! How to open an engine.

use crate::{convert, Result};
use cuzk_sys as sys;
use std::{path::PathBuf, time::Duration};

/// Options of an engine; the default of each is the library's.
///
/// ```
/// let mut options = cuzk::Options::default();
/// options.threads = 2;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Folder of `.params` and `.vk` files. None: `FIL_PROOFS_PARAMETER_CACHE`,
    /// or else `/var/tmp/filecoin-proof-parameters`.
    pub params_dir: Option<PathBuf>,
    /// Where proofs are computed.
    pub backend: Backend,
    /// CPU threads; 0: as many as the process may use.
    pub threads: u32,
    /// What to check of parameter files beyond lengths and points on the curve.
    pub params_check: ParamsCheck,
    /// Bytes that proving may hold at once; 0: nine tenths of the machine or control group.
    pub memory_budget: u64,
    /// Bytes of the largest accepted input; 0: 1 GiB.
    pub max_input: u64,
    /// GPUs to use, by index or UUID; empty: all that can be used. Who names one
    /// must have it: [`Backend::Auto`] does not fall back to the CPU then.
    pub devices: Vec<String>,
    /// Path of `libcuzk_cuda.so`. None: beside `libcuzk.so`, or else where the
    /// loader finds it.
    pub device_library: Option<PathBuf>,
    /// Bytes used on each device; 0: what is free when the engine opens.
    pub device_memory_limit: u64,
    /// Partitions that a device takes up at once; 0: 3.
    pub device_slots: u32,
    /// How many jobs of one circuit wait for each other when their parameters do
    /// not stay on a device and all devices are busy; 0: 4, 1: none ever waits.
    pub max_batch_size: u32,
    /// How long they wait; zero: 10 seconds.
    pub max_batch_wait: Duration,
}

impl Options {
    pub(crate) fn with_c<T>(&self, f: impl FnOnce(*const sys::cuzk_options) -> Result<T>) -> Result<T> {
        let dir = convert::path(self.params_dir.as_deref(), "options.params_dir")?;
        let library = convert::path(self.device_library.as_deref(), "options.device_library")?;
        let names = (!self.devices.is_empty()).then(|| self.devices.join(","));
        let devices = names.map(|n| convert::text(n.as_bytes(), "options.devices")).transpose()?;
        f(&sys::cuzk_options {
            struct_size: convert::size_of::<sys::cuzk_options>(),
            backend: self.backend as i32,
            params_dir: convert::pointer(&dir),
            threads: self.threads,
            params_check: self.params_check.bits(),
            memory_budget: self.memory_budget,
            max_input: self.max_input,
            devices: convert::pointer(&devices),
            device_library: convert::pointer(&library),
            device_memory_limit: self.device_memory_limit,
            max_batch_wait_ms: convert::milliseconds(self.max_batch_wait),
            max_batch_size: self.max_batch_size,
            device_slots: self.device_slots,
        })
    }
}

/// Where proofs are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[repr(i32)]
pub enum Backend {
    /// The best there is.
    #[default]
    Auto = sys::CUZK_BACKEND_AUTO,
    /// The CPU.
    Cpu = sys::CUZK_BACKEND_CPU,
    /// A GPU, or [`crate::Code::NoDevice`]; never the CPU instead.
    Cuda = sys::CUZK_BACKEND_CUDA,
}

/// Optional checks of parameter files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParamsCheck {
    /// Compare each file's digest with the published one, once.
    pub digest: bool,
    /// Check that every point is in its prime-order subgroup: slow.
    pub subgroup: bool,
}

impl ParamsCheck {
    /// The bits of the C ABI.
    pub(crate) fn bits(self) -> u32 {
        let bit = |on: bool, bit: u32| if on { bit } else { 0 };
        bit(self.digest, sys::CUZK_CHECK_DIGEST) | bit(self.subgroup, sys::CUZK_CHECK_SUBGROUP)
    }
}

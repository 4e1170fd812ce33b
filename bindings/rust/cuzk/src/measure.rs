//! Parts of proving, timed alone.

use crate::{convert, JobOptions, Result};
use cuzk_sys as sys;
use std::time::Duration;

/// One part of proving, to be timed alone: on the first usable device, where
/// there is one, and then [`Part::Ntt`] and [`Part::MsmG1`] only; else on the
/// engine's CPU threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasureRequest {
    /// Which.
    pub what: Part,
    /// Logarithm of the number of elements, at most 28.
    pub log2_size: u32,
    /// 0: one.
    pub repeats: u32,
    /// Urgency, identity and deadline.
    pub job: JobOptions,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[repr(i32)]
pub enum Part {
    /// Multiplications in the scalar field.
    Field = sys::CUZK_MEASURE_FIELD,
    /// One transform of so many values.
    Ntt = sys::CUZK_MEASURE_NTT,
    /// The sum of so many points of G1 times full scalars.
    MsmG1 = sys::CUZK_MEASURE_MSM_G1,
    /// The same in G2.
    MsmG2 = sys::CUZK_MEASURE_MSM_G2,
    /// The sum of half of so many points of G1.
    BitSumG1 = sys::CUZK_MEASURE_BIT_SUM_G1,
    /// Hashes of eight field elements.
    Poseidon = sys::CUZK_MEASURE_POSEIDON,
    /// Hashes of two nodes.
    Sha256 = sys::CUZK_MEASURE_SHA256,
}

impl MeasureRequest {
    pub(crate) fn with_c<T>(
        &self,
        f: impl FnOnce(*const sys::cuzk_measure_request) -> Result<T>,
    ) -> Result<T> {
        self.job.with_c(|job| {
            f(&sys::cuzk_measure_request {
                struct_size: convert::size_of::<sys::cuzk_measure_request>(),
                what: self.what as i32,
                log2_size: self.log2_size,
                repeats: self.repeats,
                job,
            })
        })
    }
}

/// The times in the result of a measurement.
pub(crate) fn times(result: &[u8]) -> Vec<Duration> {
    let nanos = result.chunks_exact(8).map(|c| u64::from_ne_bytes(c.try_into().expect("8 bytes")));
    nanos.map(Duration::from_nanos).collect()
}

//! Rust values in the shape that C wants. The pointers made here are valid as
//! long as what they were made of.

use crate::{Code, Error, Result};
use cuzk_sys as sys;
use std::{
    ffi::{c_char, CString},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr,
    time::Duration,
};

/// The `struct_size` of a C struct.
pub(crate) const fn size_of<T>() -> u32 {
    std::mem::size_of::<T>() as u32
}

/// The address of input bytes. Rust's empty slices have an invented one, which
/// must not reach a garbage collector that minds.
pub(crate) fn start(bytes: &[u8]) -> *const u8 {
    static NOTHING: u8 = 0;
    match bytes {
        [] => &NOTHING,
        _ => bytes.as_ptr(),
    }
}

/// The address of a list's first element, NULL for an empty list.
pub(crate) fn first<T>(list: &[T]) -> *const T {
    list.first().map_or(ptr::null(), |first| first)
}

/// A list of byte strings.
pub(crate) fn byte_list(list: &[&[u8]]) -> Vec<sys::cuzk_bytes> {
    list.iter().map(|b| sys::cuzk_bytes { data: start(b), len: b.len() }).collect()
}

pub(crate) fn path(path: Option<&Path>, what: &str) -> Result<Option<CString>> {
    path.map(|p| text(p.as_os_str().as_bytes(), what)).transpose()
}

/// Text for C; a NUL inside would cut it.
pub(crate) fn text(bytes: &[u8], what: &str) -> Result<CString> {
    CString::new(bytes)
        .map_err(|e| Error::new(Code::Argument, what, format!("NUL at byte {} of {what}", e.nul_position())))
}

pub(crate) fn pointer(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(ptr::null(), |t| t.as_ptr())
}

/// Rounded up: a wait of some microseconds is not a look.
pub(crate) fn milliseconds(d: Duration) -> u64 {
    d.as_nanos().div_ceil(1_000_000).try_into().unwrap_or(u64::MAX)
}

/// None waits for ever.
pub(crate) fn timeout(d: Option<Duration>) -> i64 {
    d.map_or(-1, |d| milliseconds(d).try_into().unwrap_or(i64::MAX))
}

//! The one error type.

pub use cuzk_sys::Code;
use std::fmt;

/// Result of the fallible calls of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure: its class, what went wrong and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The class. A number that this crate does not know, from a later libcuzk,
    /// is [`Code::Internal`] here and itself in `status`.
    pub code: Code,
    /// The number behind `code`: a `cuzk_status`, negative.
    pub status: i32,
    /// One line for people.
    pub message: String,
    /// The place for machines, such as `srs.h[4711]`; empty where there is none.
    pub detail: String,
    /// Whether the same call may succeed later without a change of its input.
    pub retryable: bool,
}

impl Error {
    /// An error that this crate noticed before libcuzk was asked.
    pub(crate) fn new(code: Code, detail: &str, message: impl Into<String>) -> Self {
        let (message, detail) = (message.into(), detail.to_owned());
        Error { code, status: code as i32, message, detail, retryable: false }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.message)?;
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

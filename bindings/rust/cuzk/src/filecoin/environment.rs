//! The variables that operators set for the published prover, as options.
//!
//! The same rules as the C and Go drop-in calls follow (docs/drop-in.md); they
//! come from storage-proofs-core settings.rs and bellperson gpu/locks.rs.

use crate::{Backend, Code, Error, Options, Result};
use std::ffi::{OsStr, OsString};

/// Puts a value into the options, or says what it should have been.
type Reader = fn(&OsStr, &mut Options) -> std::result::Result<(), &'static str>;

/// All that are read. The later ones concern sealing, or choices that an engine
/// makes itself: they must make sense, and have no effect.
const VARIABLES: [(&str, Reader); 9] = [
    ("FIL_PROOFS_PARAMETER_CACHE", |value, options| {
        options.params_dir = Some(value.into());
        folder(value)
    }),
    ("FIL_PROOFS_VERIFY_PRODUCTION_PARAMS", |value, options| {
        options.params_check.digest = truth(value)?;
        Ok(())
    }),
    ("BELLMAN_NO_GPU", |value, options| {
        if value != "0" {
            options.backend = Backend::Cpu;
        }
        Ok(())
    }),
    ("FIL_PROOFS_VERIFY_CACHE", |value, _| truth(value).map(drop)),
    ("FIL_PROOFS_ROWS_TO_DISCARD", |value, _| count(value)),
    ("FIL_PROOFS_WINDOW_POST_SYNTHESIS_NUM_CPUS", |value, _| count(value)),
    ("FIL_PROOFS_GPU_FRAMEWORK", |value, _| match value.to_str() {
        Some("cuda" | "opencl") => Ok(()),
        _ => Err("cuda or opencl"),
    }),
    ("FIL_PROOFS_PARENT_CACHE", |value, _| folder(value)),
    ("FIL_PROOFS_CACHE_DIR", |value, _| folder(value)),
];

/// Reads the variables. A value that the published prover could not read either
/// is an error of code Argument whose detail is the variable's name.
pub(super) fn options(lookup: impl Fn(&str) -> Option<OsString>) -> Result<Options> {
    let mut options = Options::default();
    for (name, read) in VARIABLES {
        let Some(value) = lookup(name) else { continue };
        if let Err(want) = read(&value, &mut options) {
            return Err(Error::new(Code::Argument, name, format!("{name} is {value:?}, want {want}")));
        }
    }
    Ok(options)
}

fn folder(value: &OsStr) -> std::result::Result<(), &'static str> {
    if value.is_empty() {
        return Err("a folder");
    }
    Ok(())
}

fn count(value: &OsStr) -> std::result::Result<(), &'static str> {
    match value.to_str().and_then(|v| v.parse::<u32>().ok()) {
        Some(_) => Ok(()),
        None => Err("a whole number"),
    }
}

/// Reads a boolean as the published settings do.
fn truth(value: &OsStr) -> std::result::Result<bool, &'static str> {
    match value.to_str().map(str::to_ascii_lowercase).as_deref() {
        Some("1" | "true" | "on" | "yes") => Ok(true),
        Some("0" | "false" | "off" | "no") => Ok(false),
        _ => Err("true or false"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Options> {
        options(|name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into()))
    }

    #[test]
    fn values_that_make_sense() {
        assert_eq!(read(&[]).unwrap(), Options::default());
        let o = read(&[
            ("FIL_PROOFS_PARAMETER_CACHE", "/p"),
            ("FIL_PROOFS_VERIFY_PRODUCTION_PARAMS", "True"),
            ("BELLMAN_NO_GPU", "1"),
            ("FIL_PROOFS_VERIFY_CACHE", "no"),
            ("FIL_PROOFS_ROWS_TO_DISCARD", "2"),
            ("FIL_PROOFS_WINDOW_POST_SYNTHESIS_NUM_CPUS", "8"),
            ("FIL_PROOFS_GPU_FRAMEWORK", "opencl"),
            ("FIL_PROOFS_PARENT_CACHE", "/q"),
            ("FIL_PROOFS_CACHE_DIR", "/r"),
        ])
        .unwrap();
        assert_eq!(o.params_dir.as_deref(), Some("/p".as_ref()));
        assert!(o.params_check.digest && o.backend == Backend::Cpu);
        let o = read(&[("FIL_PROOFS_VERIFY_PRODUCTION_PARAMS", "0"), ("BELLMAN_NO_GPU", "0")]).unwrap();
        assert_eq!(o, Options::default());
    }

    #[test]
    fn junk_is_an_error() {
        for (name, values) in [
            ("FIL_PROOFS_PARAMETER_CACHE", &[""][..]),
            ("FIL_PROOFS_VERIFY_PRODUCTION_PARAMS", &["", "2", "maybe", " true"]),
            ("FIL_PROOFS_VERIFY_CACHE", &["", "x"]),
            ("FIL_PROOFS_ROWS_TO_DISCARD", &["", "-1", "two", "4294967296"]),
            ("FIL_PROOFS_WINDOW_POST_SYNTHESIS_NUM_CPUS", &["", "1.5", "0x10"]),
            ("FIL_PROOFS_GPU_FRAMEWORK", &["", "vulkan", "CUDA"]),
            ("FIL_PROOFS_PARENT_CACHE", &[""]),
            ("FIL_PROOFS_CACHE_DIR", &[""]),
        ] {
            for value in values {
                let error = read(&[(name, value)]).unwrap_err();
                assert_eq!((error.code, error.detail.as_str()), (Code::Argument, name));
                assert!(error.message.contains(&format!("{name} is {value:?}")), "{error}");
            }
        }
    }
}

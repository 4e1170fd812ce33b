//! Finds libcuzk, in this order:
//!
//! 1. `CUZK_LIB_DIR` names a folder with `libcuzk.so` or `libcuzk.a`. The shared
//!    library is preferred unless `CUZK_STATIC=1`.
//! 2. pkg-config knows `cuzk` (also honours `CUZK_STATIC`).
//! 3. The source tree, `CUZK_SOURCE_DIR` or the one this crate lies in, is built
//!    with Go into a static archive in cargo's output folder.
//!
//! Nothing is ever downloaded: Go is told to use its module cache only.
//! Dependent build scripts read the outcome from `DEP_CUZK_KIND` (`dylib` or
//! `static`) and `DEP_CUZK_LIB_DIR`.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};

const VARIABLES: [&str; 4] = ["CUZK_LIB_DIR", "CUZK_STATIC", "CUZK_SOURCE_DIR", "CUZK_GO"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in VARIABLES {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let found = from_folder().or_else(|| from_pkg_config().then_some(Ok(()))).unwrap_or_else(from_source);
    if let Err(why) = found {
        // One readable paragraph instead of a Debug-formatted panic.
        eprintln!("error: libcuzk cannot be linked: {why}");
        std::process::exit(1);
    }
}

/// A set, non-empty environment variable.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from)
}

/// `CUZK_STATIC` as pkg-config's crate reads it: set and not 0.
fn wants_static() -> bool {
    env::var("CUZK_STATIC").is_ok_and(|v| !v.is_empty() && v != "0")
}

fn from_folder() -> Option<Result<(), String>> {
    let dir = variable("CUZK_LIB_DIR")?;
    let shared = dir.join("libcuzk.so").is_file();
    let archive = dir.join("libcuzk.a").is_file();
    Some(match (wants_static(), shared, archive) {
        (false, true, _) => link("dylib", &dir, "libcuzk.so"),
        (_, _, true) => link("static", &dir, "libcuzk.a"),
        (true, _, false) => Err(format!("CUZK_STATIC is set, but {} has no libcuzk.a", dir.display())),
        (false, false, false) => {
            Err(format!("CUZK_LIB_DIR={} has neither libcuzk.so nor libcuzk.a", dir.display()))
        }
    })
}

fn link(kind: &str, dir: &Path, file: &str) -> Result<(), String> {
    let dir = dir.canonicalize().map_err(|e| format!("{}: {e}", dir.display()))?;
    println!("cargo:rustc-link-search=native={}", dir.display());
    println!("cargo:rustc-link-lib={kind}=cuzk");
    println!("cargo:rerun-if-changed={}", dir.join(file).display());
    println!("cargo:kind={kind}");
    println!("cargo:lib_dir={}", dir.display());
    Ok(())
}

fn from_pkg_config() -> bool {
    // pkg-config's crate prints the link lines and the variables to watch.
    let version = env!("CARGO_PKG_VERSION");
    let Ok(library) = pkg_config::Config::new().atleast_version(version).probe("cuzk") else {
        return false;
    };
    println!("cargo:kind={}", if wants_static() { "static" } else { "dylib" });
    if let Some(dir) = library.link_paths.first() {
        println!("cargo:lib_dir={}", dir.display());
    }
    true
}

fn from_source() -> Result<(), String> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let root = variable("CUZK_SOURCE_DIR").unwrap_or_else(|| manifest.join("../../.."));
    let root = root.canonicalize().unwrap_or(root);
    let module = std::fs::read_to_string(root.join("go.mod")).unwrap_or_default();
    if !module.lines().any(|l| l.trim() == "module github.com/libcuzk/libcuzk") {
        return Err(format!(
            "CUZK_LIB_DIR is not set, pkg-config does not know `cuzk`, and {} is not libcuzk's source \
             (set CUZK_LIB_DIR to the folder of libcuzk.so, or CUZK_SOURCE_DIR to its source)",
            root.display()
        ));
    }
    for part in ["capi", "core", "gpu", "include", "go.mod", "go.sum"] {
        println!("cargo:rerun-if-changed={}", root.join(part).display());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let go = variable("CUZK_GO").unwrap_or_else(|| "go".into());
    // A Go runtime that opens no descriptors and takes no signals: see the program.
    let runtime = out.join("goruntime");
    run(
        &go,
        &root,
        &["run".as_ref(), "./capi/internal/goruntime".as_ref(), "-o".as_ref(), runtime.as_os_str()],
    )?;
    let (archive, overlay) = (out.join("libcuzk.a"), runtime.join("overlay.json"));
    let mut args: Vec<&OsStr> = vec!["build".as_ref(), "-overlay".as_ref(), overlay.as_os_str()];
    args.extend(["-trimpath", "-buildmode=c-archive", "-ldflags=-s -w", "-o"].map(OsStr::new));
    args.extend([archive.as_os_str(), "./capi".as_ref()]);
    run(&go, &root, &args)?;
    link("static", &out, "libcuzk.a")
}

/// Runs Go in the source tree, without downloading anything.
fn run(go: &Path, root: &Path, args: &[&OsStr]) -> Result<(), String> {
    let status = Command::new(go)
        .args(args)
        .current_dir(root)
        .env("CGO_ENABLED", "1")
        .env("GOPROXY", "off")
        .env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "-mod=readonly")
        .status()
        .map_err(|e| format!("cannot run {}: {e} (set CUZK_GO to Go's path)", go.display()))?;
    if status.success() {
        return Ok(());
    }
    Err(format!(
        "`go {}` in {} failed ({status}); if modules are missing, run `go mod download` there first: \
         this build script downloads nothing",
        args[0].to_string_lossy(),
        root.display()
    ))
}

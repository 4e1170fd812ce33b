//! The three ways in which the build script finds libcuzk, and what it says
//! when it does not. Each case runs cargo on this crate with an environment of
//! its own; nothing is linked, so that small stand-ins for library and Go do.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// A folder for one case: stand-ins, and cargo's output.
struct Case {
    folder: TempDir,
    variables: Vec<(&'static str, PathBuf)>,
}

impl Case {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Without this the library of the machine would be found, if there is one.
        let nowhere = folder.path().join("nowhere");
        Case { folder, variables: vec![("PKG_CONFIG_LIBDIR", nowhere)] }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn set(&mut self, name: &'static str, value: impl Into<PathBuf>) {
        self.variables.push((name, value.into()));
    }

    /// Runs the build script: its instructions to cargo, or what was printed.
    fn run(&self) -> Result<String, String> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["check", "--offline", "--locked", "--manifest-path"]).arg(manifest);
        cargo.arg("--target-dir").arg(self.path("target"));
        for name in ["CUZK_LIB_DIR", "CUZK_STATIC", "CUZK_SOURCE_DIR", "CUZK_GO", "PKG_CONFIG_PATH"] {
            cargo.env_remove(name);
        }
        let out = cargo.envs(self.variables.iter().cloned()).output().unwrap();
        if !out.status.success() {
            return Err(String::from_utf8_lossy(&out.stderr).into_owned());
        }
        let scripts = fs::read_dir(self.path("target/debug/build")).unwrap();
        let instructions =
            scripts.map(|entry| entry.unwrap().path().join("output")).find(|file| file.exists());
        Ok(fs::read_to_string(instructions.expect("the output of the build script")).unwrap())
    }
}

fn assert_says(instructions: &str, lines: &[String]) {
    for line in lines {
        assert!(instructions.lines().any(|l| l == line), "no {line:?} in\n{instructions}");
    }
}

#[test]
fn a_folder_comes_first() {
    let mut case = Case::new();
    let dir = case.file("lib/libcuzk.so", "").parent().unwrap().canonicalize().unwrap();
    case.file("lib/libcuzk.a", "");
    case.set("CUZK_LIB_DIR", &dir);
    let said = case.run().unwrap();
    let search = format!("cargo:rustc-link-search=native={}", dir.display());
    assert_says(
        &said,
        &[search.clone(), "cargo:rustc-link-lib=dylib=cuzk".into(), "cargo:kind=dylib".into()],
    );
    for name in ["CUZK_LIB_DIR", "CUZK_STATIC", "CUZK_SOURCE_DIR", "CUZK_GO"] {
        assert_says(&said, &[format!("cargo:rerun-if-env-changed={name}")]);
    }

    case.set("CUZK_STATIC", "1");
    assert_says(&case.run().unwrap(), &[search, "cargo:rustc-link-lib=static=cuzk".into()]);
}

#[test]
fn a_folder_without_the_library_is_an_error() {
    let mut case = Case::new();
    let dir = case.folder.path().to_owned();
    case.set("CUZK_LIB_DIR", dir);
    let error = case.run().unwrap_err();
    assert!(error.contains("has neither libcuzk.so nor libcuzk.a"), "{error}");
    case.file("libcuzk.so", "");
    case.set("CUZK_STATIC", "1");
    let error = case.run().unwrap_err();
    assert!(error.contains("CUZK_STATIC is set, but"), "{error}");
}

#[test]
fn pkg_config_comes_second() {
    let mut case = Case::new();
    let text = format!(
        "Name: cuzk\nDescription: stand-in\nVersion: {}\nLibs: -L/opt/cuzk/lib -lcuzk\n",
        env!("CARGO_PKG_VERSION")
    );
    let file = case.file("pc/cuzk.pc", &text);
    case.set("PKG_CONFIG_LIBDIR", file.parent().unwrap());
    let said = case.run().unwrap();
    assert_says(
        &said,
        &["cargo:rustc-link-search=native=/opt/cuzk/lib".into(), "cargo:rustc-link-lib=cuzk".into()],
    );
}

/// Go is told to stay offline, and its archive is linked.
#[test]
fn the_source_comes_last() {
    let mut case = Case::new();
    case.file("source/go.mod", "module github.com/libcuzk/libcuzk\n");
    let seen = case.path("seen");
    let go =
        case.file("go", &format!("#!/bin/sh\necho \"$GOPROXY $GOTOOLCHAIN $PWD $*\" > {}\n", seen.display()));
    fs::set_permissions(&go, fs::Permissions::from_mode(0o755)).unwrap();
    let source = case.path("source");
    case.set("CUZK_SOURCE_DIR", source);
    case.set("CUZK_GO", &go);
    let said = case.run().unwrap();
    assert_says(&said, &["cargo:rustc-link-lib=static=cuzk".into(), "cargo:kind=static".into()]);
    let seen = fs::read_to_string(seen).unwrap();
    assert!(seen.starts_with("off local "), "{seen}");
    assert!(seen.contains("/source build ") && seen.contains("-buildmode=c-archive"), "{seen}");
}

#[test]
fn no_library_and_no_source_is_an_error() {
    let mut case = Case::new();
    case.file("source/go.mod", "module other\n");
    let source = case.path("source");
    case.set("CUZK_SOURCE_DIR", source);
    let error = case.run().unwrap_err();
    assert!(error.contains("is not libcuzk's source") && error.contains("set CUZK_LIB_DIR"), "{error}");
}

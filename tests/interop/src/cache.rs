//! The folder of parameters that both provers read.
//!
//! The published crates read `FIL_PROOFS_PARAMETER_CACHE` once per process, and
//! so does libcuzk when it opens its engine. Hence one folder per process.

use anyhow::{Context, Result};
use cuzk::{Engine, JobOptions, Kind, ParamsRequest};
use filecoin_proofs_api::{RegisteredPoStProof, RegisteredSealProof, RegisteredUpdateProof};
use std::{
    env,
    fs::{self, File},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock},
};

static ENTERED: OnceLock<PathBuf> = OnceLock::new();

/// Makes `folder` the parameter cache of this process, for both provers. Must
/// come before any call of theirs; a second call must name the same folder.
pub fn enter(folder: &Path) -> Result<&'static Path> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let entered = ENTERED.get_or_init(|| {
        env::set_var("FIL_PROOFS_PARAMETER_CACHE", folder);
        // Parent graphs of 2 KiB sectors are small, and nobody else needs them.
        env::set_var("FIL_PROOFS_PARENT_CACHE", folder.join("parents"));
        folder.to_owned()
    });
    anyhow::ensure!(entered == folder, "this process uses {} already", entered.display());
    Ok(entered)
}

/// Where test parameters are kept between runs: `CUZK_TEST_PARAMS`, or
/// `cuzk` in the user's cache folder. Nothing relies on what lies there.
pub fn test_params() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set("CUZK_TEST_PARAMS").unwrap_or_else(|| {
        let home = || set("HOME").unwrap_or_else(|| "/root".into()).join(".cache");
        set("XDG_CACHE_HOME").unwrap_or_else(home).join("cuzk")
    })
}

/// Has libcuzk make the 2 KiB parameters of a kind with the secrets of the test
/// vectors, unless they lie where the published crates look for them.
pub fn make_params(engine: &Engine, kind: Kind) -> Result<PathBuf> {
    let file = published_path(kind)?;
    // Other test suites make the same files, and hold the same lock meanwhile.
    let lock = File::create(file.with_extension("lock"))?;
    lock.lock()?;
    if file.exists() {
        return Ok(file);
    }
    let request = ParamsRequest {
        kind,
        sector_size: 2048,
        length: 0,
        dir: file.parent().map(Path::to_owned),
        seed_label: Some("golden".into()),
        job: JobOptions::default(),
    };
    engine.make_params(&request, |_| ControlFlow::Continue(()))?;
    anyhow::ensure!(file.exists(), "{} is not the name that libcuzk gave", file.display());
    Ok(file)
}

/// Where the published crates look for the 2 KiB parameters of a kind.
fn published_path(kind: Kind) -> Result<PathBuf> {
    match kind {
        Kind::Porep => RegisteredSealProof::StackedDrg2KiBV1_1.cache_params_path(),
        Kind::WinningPost => RegisteredPoStProof::StackedDrgWinning2KiBV1.cache_params_path(),
        Kind::WindowPost => RegisteredPoStProof::StackedDrgWindow2KiBV1_2.cache_params_path(),
        Kind::Update => update_path("params"),
        other => anyhow::bail!("no 2 KiB parameters of kind {other:?}"),
    }
}

/// The 2 KiB update circuit's file with an extension. The published method gives the
/// path of the seal proof of that size (registry.rs:893).
pub fn update_path(extension: &str) -> Result<PathBuf> {
    let seal = RegisteredUpdateProof::StackedDrg2KiBV1.cache_params_path()?;
    let name = "v28-empty-sector-update-merkletree-poseidon_hasher-8-0-0-\
                fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194";
    Ok(seal.with_file_name(format!("{name}.{extension}")))
}

/// The engine behind the drop-in calls, in the folder of [`test_params`], with
/// the parameters of `kind` in place.
pub fn ready(kind: Kind) -> &'static Engine {
    static MAKING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = MAKING.lock().unwrap_or_else(|e| e.into_inner());
    enter(&test_params()).expect("the parameter cache");
    let engine = cuzk::filecoin::engine().unwrap_or_else(|e| panic!("{e}"));
    make_params(engine, kind).unwrap_or_else(|e| panic!("2 KiB {kind:?} parameters: {e:?}"));
    engine
}

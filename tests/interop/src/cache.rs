//! The folder of parameters that both provers read.
//!
//! The published crates read `FIL_PROOFS_PARAMETER_CACHE` once per process, and
//! so does libcuzk when it opens its engine. Hence one folder per process.

use anyhow::{Context, Result};
use cuzk::{Code, Engine, Kind, ParamsRequest};
use filecoin_proofs_api::RegisteredSealProof;
use std::{
    env, fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::OnceLock,
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

/// Has libcuzk make the 2 KiB PoRep parameters with the secrets of the test
/// vectors, unless the file is there under the name that the published crates
/// look for.
pub fn make_porep_params(engine: &Engine) -> Result<PathBuf> {
    let file = RegisteredSealProof::StackedDrg2KiBV1_1.cache_params_path()?;
    if file.exists() {
        return Ok(file);
    }
    let request = ParamsRequest {
        kind: Kind::Porep,
        sector_size: 2048,
        dir: file.parent().map(Path::to_owned),
        seed_label: Some("golden".into()),
    };
    engine.make_params(&request, |_| ControlFlow::Continue(()))?;
    anyhow::ensure!(file.exists(), "{} is not the name that libcuzk gave", file.display());
    Ok(file)
}

/// [`enter`] with [`test_params`], and the PoRep parameters in it; once per process.
pub fn ready() -> &'static Engine {
    static READY: OnceLock<&'static Engine> = OnceLock::new();
    READY.get_or_init(|| {
        enter(&test_params()).expect("the parameter cache");
        let engine = cuzk::filecoin::engine().unwrap_or_else(|e| panic!("{}: {e}", Code::name(e.code)));
        make_porep_params(engine).expect("2 KiB PoRep parameters");
        engine
    })
}

//! Progress reaches closures; a closure can stop the work, and panic safely.

mod common;

use common::engine_in;
use cuzk::{Code, Engine, JobOptions, Kind, ParamsRequest, Progress};
use std::{
    fs,
    ops::ControlFlow,
    panic::{catch_unwind, AssertUnwindSafe},
    path::Path,
};

/// Starts to make PoRep parameters in `dir`: long work that reports progress.
fn make(engine: &Engine, dir: &Path, f: impl FnMut(Progress<'_>) -> ControlFlow<()>) -> cuzk::Result<()> {
    let request = ParamsRequest {
        kind: Kind::Porep,
        sector_size: 2048,
        length: 0,
        dir: Some(dir.into()),
        seed_label: None,
        job: JobOptions::default(),
    };
    engine.make_params(&request, f)
}

#[test]
fn a_closure_stops_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_in(folder.path());
    let mut calls = 0;
    let error = make(&engine, folder.path(), |p| {
        calls += 1;
        assert!(!p.stage.is_empty());
        assert!(p.total.map_or(true, |total| p.done <= total), "{p:?}");
        if calls == 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .unwrap_err();
    assert_eq!(error.code, Code::Cancelled, "{error}");
    assert!(calls >= 2);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert!(left.is_empty(), "cancelled work left {left:?}");
}

/// The panic passes over the C frames as a value and goes on in Rust, with its
/// payload; the engine is as good as before.
#[test]
fn a_panic_in_a_closure_comes_out_here() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_in(folder.path());
    let panic = catch_unwind(AssertUnwindSafe(|| make(&engine, folder.path(), |_| panic!("told to"))))
        .expect_err("the panic got lost");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"told to"));
    let error = make(&engine, folder.path(), |_| ControlFlow::Break(())).unwrap_err();
    assert_eq!(error.code, Code::Cancelled, "{error}");
}

//! Groth16 proofs for Filecoin sectors.
//!
//! An [`Engine`] turns the vanilla proofs that sealing produces into the proofs
//! that the chain accepts:
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut options = cuzk::Options::default();
//! options.params_dir = Some("/var/tmp/filecoin-proof-parameters".into());
//! let engine = cuzk::Engine::open(&options)?;
//!
//! let c1 = std::fs::read("c1.json")?; // what seal_commit_phase1 returned
//! let proof = engine.prove_porep(&c1, 101, &cuzk::prover_id(1000))?;
//! # Ok(()) }
//! ```
//!
//! The crate is thin: everything happens in libcuzk, whose header is the manual.
//! All types may be sent to and shared between threads. `unsafe` code is
//! confined to one file, which upholds the rules of the header.
#![deny(unsafe_code)]

mod aggregate;
mod convert;
mod engine;
mod error;
#[allow(unsafe_code)]
mod ffi;
#[cfg(feature = "filecoin")]
pub mod filecoin;
mod fixture;
mod job;
mod job_options;
mod measure;
mod options;
mod params;
mod porep;
mod post;
mod snapshot;
mod update;

pub use aggregate::{AggregateInfo, AggregateRequest, AggregateSector, SnarkPack};
pub use engine::Engine;
pub use error::{Code, Error, Result};
pub use ffi::version;
pub use fixture::FixtureRequest;
pub use job::{Job, Progress};
pub use job_options::{JobOptions, Priority};
pub use measure::{MeasureRequest, Part};
pub use options::{Backend, Options, ParamsCheck};
pub use params::{Kind, ParamsRequest};
pub use porep::{prover_id, PorepInfo, PorepRequest};
pub use post::{
    merge_post, post_challenges, post_partitions, post_winner, PostInfo, PostRequest, PostSector,
};
pub use snapshot::{Copies, Device, Memory, Queue, Snapshot};
pub use update::{UpdateInfo, UpdateRequest};

//! Shared parts of the interoperation tests and of the comparison benchmark.
//!
//! * [`sector`] seals real 2 KiB sectors with the published crates; [`post`] and
//!   [`update`] challenge and update them;
//! * [`cache`] is the one folder of parameters that both provers read;
//! * [`reference`] lets the published crates make parameters of small circuits;
//! * [`measure`] reads what a process has cost so far.

pub mod cache;
pub mod measure;
pub mod post;
pub mod reference;
pub mod sector;
pub mod update;

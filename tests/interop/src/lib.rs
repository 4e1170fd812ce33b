//! Shared parts of the interoperation tests and of the comparison benchmark.
//!
//! * [`sector`] seals real 2 KiB sectors with the published crates; [`post`] and
//!   [`update`] challenge and update them;
//! * [`cache`] is the one folder of parameters that both provers read;
//! * [`reference`] lets the published crates make parameters of small circuits;
//! * [`verdicts`] asks both verifiers, [`mutate`] and [`loose`] make what they are asked;
//! * [`measure`] reads what a process has cost so far.

pub mod cache;
pub mod loose;
pub mod measure;
pub mod mutate;
pub mod post;
pub mod reference;
pub mod sector;
pub mod update;
pub mod verdicts;

//! One PoRep C2 by bellperson and by libcuzk in the same run, as JSON lines.
//!
//! `compare C1_JSON SECTOR_JSON PARAMS_DIR [bellperson|libcuzk]…`
//!
//! Each prover runs in a process of its own, one after the other, so that its
//! peak memory is its own. Both start from the C1 output in memory and end with
//! a verified proof; the first call of a process includes all that a process
//! needs once. The last lines are ratios: first call with first call, and second with
//! second as `…_warm`. The published verifier judges every proof, outside
//! the timing.

use anyhow::{bail, ensure, Context, Result};
use cuzk_interop::{
    cache,
    measure::{cost_of, Cost},
};
use filecoin_proofs_api::{seal, RegisteredSealProof, SectorId};
use serde_json::{json, Value};
use std::{env, fs, path::Path, process::Command};

const PROVERS: [&str; 2] = ["bellperson", "libcuzk"];
/// The calls that each prover makes in one process.
const CALLS: [&str; 2] = ["first", "second"];
/// Says to a child process which prover it is.
const CHILD: &str = "--child";

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [CHILD, prover, c1, sector, params] => {
            child(prover, Path::new(c1), Path::new(sector), Path::new(params))
        }
        [c1, sector, params, provers @ ..] => parent(&[c1, sector, params], provers),
        _ => bail!("usage: compare C1_JSON SECTOR_JSON PARAMS_DIR [bellperson|libcuzk]…"),
    }
}

/// Runs the provers and prints their figures and their ratio.
fn parent(files: &[&str], provers: &[&str]) -> Result<()> {
    let provers = if provers.is_empty() { &PROVERS[..] } else { provers };
    let mut seconds: Vec<(&str, Vec<f64>)> = Vec::new();
    for prover in provers {
        ensure!(PROVERS.contains(prover), "{prover} is no prover: {PROVERS:?}");
        let out = Command::new(env::current_exe()?).arg(CHILD).arg(prover).args(files).output()?;
        ensure!(out.status.success(), "{prover}: {}\n{}", out.status, String::from_utf8_lossy(&out.stderr));
        let mut walls = Vec::new(); // of its calls, in order
        for line in String::from_utf8(out.stdout)?.lines() {
            let figure: Value = serde_json::from_str(line)?;
            if figure["name"].as_str().is_some_and(|n| n.ends_with("/wall")) {
                walls.push(figure["value"].as_f64().context("a number")?);
            }
            println!("{line}");
        }
        seconds.push((prover, walls));
    }
    if let [(first, a), (second, b)] = &seconds[..] {
        for ((theirs, ours), warm) in a.iter().zip(b).zip(["", "_warm"]) {
            print_figure(&format!("porep_2KiB_c2/{first}_over_{second}{warm}"), theirs / ours, "ratio")?;
        }
    }
    Ok(())
}

fn name(prover: &str, call: &str, what: &str) -> String {
    format!("porep_2KiB_c2/{prover}/{call}/{what}")
}

/// Proves with one prover and prints what it cost.
fn child(prover: &str, c1: &Path, sector: &Path, params: &Path) -> Result<()> {
    cache::enter(params)?;
    let sector = Known::read(sector)?;
    let bytes = fs::read(c1).with_context(|| c1.display().to_string())?;
    match prover {
        "bellperson" => {
            for call in CALLS {
                let c1: seal::SealCommitPhase1Output = serde_json::from_slice(&bytes)?;
                let id = SectorId::from(sector.number);
                let (out, cost) = cost_of(|| seal::seal_commit_phase2(c1, sector.prover_id, id))?;
                print_cost(prover, call, &cost)?;
                sector.judge(&out.proof)?;
            }
            Ok(())
        }
        _ => {
            // libcuzk stays resident, so its later calls are what a provider sees.
            let engine = cuzk::Engine::open(&{
                let mut options = cuzk::Options::default();
                options.params_dir = Some(params.to_owned());
                options
            })?;
            for call in CALLS {
                let (proof, cost) =
                    cost_of(|| Ok(engine.prove_porep(&bytes, sector.number, &sector.prover_id)?))?;
                print_cost(prover, call, &cost)?;
                sector.judge(&proof)?;
            }
            Ok(())
        }
    }
}

/// What the chain knows of the sector.
struct Known {
    proof: RegisteredSealProof,
    number: u64,
    prover_id: [u8; 32],
    comm_r: [u8; 32],
    comm_d: [u8; 32],
    ticket: [u8; 32],
    seed: [u8; 32],
}

impl Known {
    /// Reads a `sector-I.json` of the golden data.
    fn read(file: &Path) -> Result<Self> {
        let text = fs::read(file).with_context(|| file.display().to_string())?;
        let v: Value = serde_json::from_slice(&text)?;
        let field = |name: &str| unhex(v[name].as_str().with_context(|| format!("no {name}"))?);
        Ok(Known {
            proof: serde_json::from_value(v["registered_seal_proof"].clone())?,
            number: v["sector_number"].as_u64().context("sector_number")?,
            prover_id: field("prover_id")?,
            comm_r: field("comm_r")?,
            comm_d: field("comm_d")?,
            ticket: field("ticket")?,
            seed: field("seed")?,
        })
    }

    fn judge(&self, proof: &[u8]) -> Result<()> {
        let id = SectorId::from(self.number);
        let (r, d) = (self.comm_r, self.comm_d);
        let valid = seal::verify_seal(self.proof, r, d, self.prover_id, id, self.ticket, self.seed, proof)?;
        ensure!(valid, "the published verifier rejects the proof");
        Ok(())
    }
}

fn unhex(text: &str) -> Result<[u8; 32]> {
    let digits =
        text.as_bytes().chunks(2).map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?));
    let bytes: Vec<u8> = digits.collect::<Result<_>>()?;
    bytes.try_into().ok().context("32 bytes of hex")
}

fn print_cost(prover: &str, call: &str, cost: &Cost) -> Result<()> {
    print_figure(&name(prover, call, "wall"), cost.wall_seconds, "s")?;
    print_figure(&name(prover, call, "cpu"), cost.cpu_seconds, "s")?;
    print_figure(&name(prover, call, "peak_memory"), cost.peak_bytes as f64, "B")
}

fn print_figure(name: &str, value: f64, unit: &str) -> Result<()> {
    let cpus = std::thread::available_parallelism()?.get();
    let figure = json!({
        "name": name, "value": value, "unit": unit, "cpus": cpus, "cpu": cpu_model(),
        "commit": output("git", &["rev-parse", "--short", "HEAD"]),
        "date": output("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]),
    });
    println!("{figure}");
    Ok(())
}

fn cpu_model() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Output of a command, None (null in the figure) where it does not work.
fn output(command: &str, args: &[&str]) -> Option<String> {
    let out = Command::new(command).args(args).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

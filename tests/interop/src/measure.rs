//! What the current process has cost: processor time and peak memory, from /proc.

use anyhow::{Context, Result};
use std::{fs, time::Instant};

/// Cost of one piece of work.
pub struct Cost {
    pub wall_seconds: f64,
    /// User and system time of all threads, in steps of 10 ms.
    pub cpu_seconds: f64,
    /// Highest resident set of the process since its start.
    pub peak_bytes: u64,
}

/// Runs `work` and says what it cost.
pub fn cost_of<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Cost)> {
    let (cpu, start) = (cpu_seconds()?, Instant::now());
    let value = work()?;
    let wall_seconds = start.elapsed().as_secs_f64();
    Ok((value, Cost { wall_seconds, cpu_seconds: cpu_seconds()? - cpu, peak_bytes: peak_bytes()? }))
}

/// proc(5): fields 14 and 15 of stat, in ticks of 1/100 s (USER_HZ on Linux);
/// the second field may hold spaces, so counting starts after its parenthesis.
fn cpu_seconds() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().context("stat")?.split_whitespace().collect();
    let ticks = |i: usize| -> Result<f64> { Ok(fields.get(i).context("stat is short")?.parse()?) };
    Ok((ticks(11)? + ticks(12)?) / 100.0)
}

fn peak_bytes() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).context("VmHWM")?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib * 1024)
}

//! What two verifiers say to one statement: the published crates and libcuzk.
//!
//! Both are asked through the same Rust calls with the same arguments. The
//! statements begin as those of the golden 2 KiB sectors and are then mutated
//! ([`crate::mutate`]).

use crate::{cache, loose::Partition};
use anyhow::{Context, Result};
use cuzk::filecoin;
use filecoin_proofs_api::{
    post, seal, update, PartitionProofBytes, PublicReplicaInfo, RegisteredPoStProof, RegisteredSealProof,
    RegisteredUpdateProof, SectorId,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    panic::{catch_unwind, AssertUnwindSafe},
    path::{Path, PathBuf},
};

pub type Node = [u8; 32];

/// An answer. Texts of errors differ, and a panic of the published crates is an
/// error: their C interface makes one of it.
#[derive(Clone, Debug)]
pub enum Verdict {
    True,
    False,
    Error(String),
}

impl Verdict {
    fn of<E: std::fmt::Display>(answer: std::result::Result<bool, E>) -> Self {
        match answer {
            Ok(true) => Verdict::True,
            Ok(false) => Verdict::False,
            Err(e) => Verdict::Error(format!("{e:#}")),
        }
    }

    /// The same class of answer.
    pub fn same(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

#[derive(Clone, Debug)]
pub struct Seal {
    pub registered: RegisteredSealProof,
    pub comm_r: Node,
    pub comm_d: Node,
    pub prover: Node,
    pub sector: u64,
    pub ticket: Node,
    pub seed: Node,
    pub proof: Vec<u8>,
}

/// A sector of a PoSt: number, registered proof, comm_r.
pub type Replica = (u64, RegisteredPoStProof, Node);

#[derive(Clone, Debug)]
pub struct Post {
    /// By which of the two calls.
    pub winning: bool,
    pub randomness: Node,
    pub prover: Node,
    /// In the order in which a host lists them; of equal numbers the last counts.
    pub replicas: Vec<Replica>,
    pub proofs: Vec<(RegisteredPoStProof, Vec<u8>)>,
}

#[derive(Clone, Debug)]
pub struct Update {
    pub registered: RegisteredUpdateProof,
    pub old: Node,
    pub new: Node,
    pub data: Node,
    pub proof: Vec<u8>,
}

#[derive(Clone, Debug)]
pub struct Vanilla {
    pub registered: RegisteredUpdateProof,
    pub old: Node,
    pub new: Node,
    pub data: Node,
    pub partitions: Vec<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub enum Statement {
    Seal(Seal),
    Batch(Vec<Seal>),
    Post(Post),
    Update(Update),
    Vanilla(Vanilla),
}

impl Statement {
    pub fn name(&self) -> &'static str {
        match self {
            Statement::Seal(_) => "verify_seal",
            Statement::Batch(_) => "verify_batch_seal",
            Statement::Post(p) if p.winning => "verify_winning_post",
            Statement::Post(_) => "verify_window_post",
            Statement::Update(_) => "verify_empty_sector_update_proof",
            Statement::Vanilla(_) => "verify_partition_proofs",
        }
    }

    /// The published verifier's answer.
    pub fn published(&self) -> Verdict {
        match catch_unwind(AssertUnwindSafe(|| self.ask_published())) {
            Ok(answer) => Verdict::of(answer),
            Err(_) => Verdict::Error("panic".into()),
        }
    }

    fn ask_published(&self) -> Result<bool> {
        match self {
            Statement::Seal(s) => seal::verify_seal(
                s.registered,
                s.comm_r,
                s.comm_d,
                s.prover,
                SectorId::from(s.sector),
                s.ticket,
                s.seed,
                &s.proof,
            ),
            Statement::Batch(list) => {
                let of = Columns::of(list);
                let sectors: Vec<SectorId> = of.sectors.iter().map(|s| SectorId::from(*s)).collect();
                let first = list.first().context("a batch has a kind")?.registered;
                seal::verify_batch_seal(
                    first,
                    &of.comm_r,
                    &of.comm_d,
                    &of.provers,
                    &sectors,
                    &of.tickets,
                    &of.seeds,
                    &of.proofs,
                )
            }
            Statement::Post(p) => {
                let replicas: BTreeMap<SectorId, PublicReplicaInfo> = p
                    .replicas
                    .iter()
                    .map(|(number, registered, comm_r)| {
                        (SectorId::from(*number), PublicReplicaInfo::new(*registered, *comm_r))
                    })
                    .collect();
                if p.winning {
                    post::verify_winning_post(&p.randomness, &p.joined(), &replicas, p.prover)
                } else {
                    let proofs: Vec<_> = p.proofs.iter().map(|(r, b)| (*r, b.as_slice())).collect();
                    post::verify_window_post(&p.randomness, &proofs, &replicas, p.prover)
                }
            }
            Statement::Update(u) => {
                update::verify_empty_sector_update_proof(u.registered, &u.proof, u.old, u.new, u.data)
            }
            Statement::Vanilla(v) => {
                let proofs: Vec<_> = v.partitions.iter().cloned().map(PartitionProofBytes).collect();
                update::verify_partition_proofs(v.registered, &proofs, v.old, v.new, v.data)
            }
        }
    }

    /// libcuzk's answer, through the calls of the published names.
    pub fn own(&self) -> Verdict {
        Verdict::of(self.ask_own())
    }

    fn ask_own(&self) -> cuzk::Result<bool> {
        match self {
            Statement::Seal(s) => filecoin::seal::verify_seal(
                s.registered,
                s.comm_r,
                s.comm_d,
                s.prover,
                s.sector,
                s.ticket,
                s.seed,
                &s.proof,
            ),
            Statement::Batch(list) => {
                let of = Columns::of(list);
                let first = list.first().map_or(RegisteredSealProof::StackedDrg2KiBV1, |s| s.registered);
                filecoin::seal::verify_batch_seal(
                    first,
                    &of.comm_r,
                    &of.comm_d,
                    &of.provers,
                    &of.sectors,
                    &of.tickets,
                    &of.seeds,
                    &of.proofs,
                )
            }
            Statement::Post(p) => {
                let replicas: BTreeMap<u64, filecoin::PublicReplicaInfo> = p
                    .replicas
                    .iter()
                    .map(|(number, registered, comm_r)| {
                        (*number, filecoin::PublicReplicaInfo::new(registered, *comm_r))
                    })
                    .collect();
                if p.winning {
                    filecoin::post::verify_winning_post(&p.randomness, &p.joined(), &replicas, p.prover)
                } else {
                    let proofs: Vec<_> = p.proofs.iter().map(|(r, b)| (*r, b.as_slice())).collect();
                    filecoin::post::verify_window_post(&p.randomness, &proofs, &replicas, p.prover)
                }
            }
            Statement::Update(u) => filecoin::update::verify_empty_sector_update_proof(
                u.registered,
                &u.proof,
                u.old,
                u.new,
                u.data,
            ),
            Statement::Vanilla(v) => {
                let proofs: Vec<_> =
                    v.partitions.iter().cloned().map(filecoin::PartitionProofBytes).collect();
                filecoin::update::verify_partition_proofs(v.registered, &proofs, v.old, v.new, v.data)
            }
        }
    }
}

impl Post {
    /// A WinningPoSt's proofs as filecoin-ffi hands them on: one after the other.
    fn joined(&self) -> Vec<u8> {
        self.proofs.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect()
    }
}

/// The lists that a batch call takes.
struct Columns<'a> {
    comm_r: Vec<Node>,
    comm_d: Vec<Node>,
    provers: Vec<Node>,
    sectors: Vec<u64>,
    tickets: Vec<Node>,
    seeds: Vec<Node>,
    proofs: Vec<&'a [u8]>,
}

impl<'a> Columns<'a> {
    fn of(list: &'a [Seal]) -> Self {
        Columns {
            comm_r: list.iter().map(|s| s.comm_r).collect(),
            comm_d: list.iter().map(|s| s.comm_d).collect(),
            provers: list.iter().map(|s| s.prover).collect(),
            sectors: list.iter().map(|s| s.sector).collect(),
            tickets: list.iter().map(|s| s.ticket).collect(),
            seeds: list.iter().map(|s| s.seed).collect(),
            proofs: list.iter().map(|s| s.proof.as_slice()).collect(),
        }
    }
}

/// Statements that hold: those of the golden 2 KiB sectors.
pub struct Originals {
    pub seals: Vec<Seal>,
    pub posts: Vec<Post>,
    pub updates: Vec<Update>,
    pub vanilla: Vec<Vanilla>,
}

impl Originals {
    /// Reads them, and makes `folder` the parameter cache of both verifiers, with
    /// the golden verifying keys and nothing else in it.
    pub fn read(folder: &Path) -> Result<Self> {
        cache::enter(folder)?;
        for (kind, params) in [
            ("porep", RegisteredSealProof::StackedDrg2KiBV1_1.cache_verifying_key_path()?),
            ("winning_post", RegisteredPoStProof::StackedDrgWinning2KiBV1.cache_verifying_key_path()?),
            ("window_post", RegisteredPoStProof::StackedDrgWindow2KiBV1_2.cache_verifying_key_path()?),
            ("update", cache::update_path("vk")?),
        ] {
            fs::copy(golden(&format!("vk/{kind}-2048.vk")), &params)
                .with_context(|| params.display().to_string())?;
        }
        Ok(Originals {
            seals: vec![seal_of("2k-v1_1", 0)?, seal_of("2k-v1_1", 1)?],
            posts: vec![
                post_of("2k-v1_1", "winning_post")?,
                post_of("2k-v1_1", "window_post")?,
                post_of("2k-v1", "window_post")?,
                post_of("2k-window3", "winning_post")?,
                post_of("2k-window3", "window_post")?,
            ],
            updates: vec![update_of("2k-v1_1")?, update_of("2k-window3")?],
            vanilla: ["2k-v1_1", "2k-v1", "2k-window3", "2k-synthetic", "8m-v1_1"]
                .into_iter()
                .map(vanilla_of)
                .collect::<Result<_>>()?,
        })
    }

    /// The partitions of an update as structures, to be taken apart.
    pub fn structured(v: &Vanilla) -> Option<Vec<Partition>> {
        v.partitions.iter().map(|p| Partition::parse(p)).collect()
    }
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden").join(name)
}

fn json(folder: &str, name: &str) -> Result<Value> {
    let path = golden(&format!("sectors/{folder}/{name}"));
    serde_json::from_slice(&fs::read(&path)?).with_context(|| path.display().to_string())
}

fn bytes(v: &Value) -> Result<Vec<u8>> {
    let text = v.as_str().context("a string of hex digits")?;
    (0..text.len() / 2).map(|i| Ok(u8::from_str_radix(&text[2 * i..2 * i + 2], 16)?)).collect()
}

fn node(v: &Value) -> Result<Node> {
    bytes(v)?.try_into().ok().context("32 bytes")
}

fn number(v: &Value) -> Result<u64> {
    v.as_u64().context("a number")
}

fn proof(folder: &str, kind: &str, i: usize) -> Result<Vec<u8>> {
    bytes(&json(folder, &format!("proof-{kind}-{i}.json"))?["proof"])
}

fn seal_of(folder: &str, i: usize) -> Result<Seal> {
    let s = json(folder, &format!("sector-{i}.json"))?;
    Ok(Seal {
        registered: serde_json::from_value(s["registered_seal_proof"].clone())?,
        comm_r: node(&s["comm_r"])?,
        comm_d: node(&s["comm_d"])?,
        prover: node(&s["prover_id"])?,
        sector: number(&s["sector_number"])?,
        ticket: node(&s["ticket"])?,
        seed: node(&s["seed"])?,
        proof: proof(folder, "porep", i)?,
    })
}

fn post_of(folder: &str, kind: &str) -> Result<Post> {
    let p = json(folder, &format!("{kind}.json"))?;
    let registered: RegisteredPoStProof = serde_json::from_value(p["registered_post_proof"].clone())?;
    let sectors = p["sectors"].as_array().context("sectors")?;
    Ok(Post {
        winning: kind == "winning_post",
        randomness: node(&p["randomness"])?,
        prover: node(&p["prover_id"])?,
        replicas: sectors
            .iter()
            .map(|s| Ok((number(&s["sector_number"])?, registered, node(&s["comm_r"])?)))
            .collect::<Result<_>>()?,
        proofs: vec![(registered, proof(folder, kind, 0)?)],
    })
}

fn update_of(folder: &str) -> Result<Update> {
    let v = vanilla_of(folder)?;
    Ok(Update {
        registered: v.registered,
        old: v.old,
        new: v.new,
        data: v.data,
        proof: proof(folder, "update", 0)?,
    })
}

fn vanilla_of(folder: &str) -> Result<Vanilla> {
    let u = json(folder, "update.json")?;
    let files = u["files"].as_array().context("files")?;
    let read =
        |f: &Value| Ok(fs::read(golden(&format!("sectors/{folder}/{}", f.as_str().context("a name")?)))?);
    Ok(Vanilla {
        registered: serde_json::from_value(u["registered_update_proof"].clone())?,
        old: node(&u["comm_r_old"])?,
        new: node(&u["comm_r_new"])?,
        data: node(&u["comm_d_new"])?,
        partitions: files.iter().map(read).collect::<Result<_>>()?,
    })
}

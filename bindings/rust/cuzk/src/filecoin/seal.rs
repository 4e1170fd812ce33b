//! Sealing: `filecoin_proofs_api::seal`.

use super::{
    engine,
    registered::{aggregation_proof, seal_proof},
    Commitment, ProverId, Ticket,
};
use crate::{
    AggregateInfo, AggregateRequest, AggregateSector, Code, Error, JobOptions, PorepInfo, PorepRequest,
    Result,
};
use serde::Serialize;

/// A seal proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealCommitPhase2Output {
    /// 192 bytes per partition; of a non-interactive sector the aggregate of its
    /// partitions.
    pub proof: Vec<u8>,
}

/// The bytes of an aggregate.
pub type AggregateSnarkProof = Vec<u8>;

/// What the chain knows of one sector of an aggregate: comm_r, comm_d, its number,
/// ticket and seed.
pub type AggregationInputs = (Commitment, Commitment, u64, Ticket, Ticket);

/// Aggregates the seal proofs of sectors. Unlike the published function it wants as
/// many `comm_rs`, `seeds` and `commit_outputs`, and verifies the aggregate, though
/// not that the proofs hold, for which it is not told enough.
pub fn aggregate_seal_commit_proofs(
    registered_proof: impl Serialize,
    registered_aggregation: impl Serialize,
    comm_rs: &[Commitment],
    seeds: &[Ticket],
    commit_outputs: &[SealCommitPhase2Output],
) -> Result<AggregateSnarkProof> {
    if comm_rs.len() != seeds.len() {
        let text = format!("{} comm_rs and {} seeds", comm_rs.len(), seeds.len());
        return Err(Error::new(Code::InputValue, "seeds", text));
    }
    let sector = |(comm_r, seed): (&Commitment, &Ticket)| AggregateSector {
        sector_number: 0,
        comm_r: *comm_r,
        comm_d: [0; 32],
        ticket: [0; 32],
        seed: *seed,
    };
    engine()?.aggregate(&AggregateRequest {
        info: AggregateInfo {
            registered_proof: seal_proof(registered_proof)?,
            version: aggregation_proof(registered_aggregation)?,
            prover_id: [0; 32],
            sectors: comm_rs.iter().zip(seeds).map(sector).collect(),
        },
        proofs: commit_outputs.iter().map(|output| &output.proof[..]).collect(),
        commitments_only: true,
        job: JobOptions::default(),
    })
}

/// Whether an aggregate proves that the sectors were sealed as the inputs say.
pub fn verify_aggregate_seal_commit_proofs(
    registered_proof: impl Serialize,
    registered_aggregation: impl Serialize,
    prover_id: ProverId,
    aggregate_proof_bytes: &[u8],
    commit_inputs: &[AggregationInputs],
) -> Result<bool> {
    let sector = |&(comm_r, comm_d, sector_number, ticket, seed): &AggregationInputs| AggregateSector {
        sector_number,
        comm_r,
        comm_d,
        ticket,
        seed,
    };
    let info = AggregateInfo {
        registered_proof: seal_proof(registered_proof)?,
        version: aggregation_proof(registered_aggregation)?,
        prover_id,
        sectors: commit_inputs.iter().map(sector).collect(),
    };
    engine()?.verify_aggregate(&info, aggregate_proof_bytes)
}

/// Turns a commit-phase-1 output into the seal proof.
///
/// Unlike the published function it checks the whole input before proving, and
/// so notices a wrong prover or sector at once rather than after the proof.
pub fn seal_commit_phase2(
    phase1_output: impl Serialize,
    prover_id: ProverId,
    sector_id: impl Into<u64>,
) -> Result<SealCommitPhase2Output> {
    let proof = engine()?.prove_porep(&json(phase1_output)?, sector_id.into(), &prover_id)?;
    Ok(SealCommitPhase2Output { proof })
}

/// The circuit proofs of all partitions, one after the other: for
/// non-interactive sectors what an aggregate would be made of, for others the
/// seal proof. There is no prover here, so that the C1 output's replica id is
/// taken as it stands.
pub fn seal_commit_phase2_circuit_proofs(
    phase1_output: impl Serialize,
    sector_id: impl Into<u64>,
) -> Result<SealCommitPhase2Output> {
    let c1 = json(phase1_output)?;
    let (sector_number, prover_id) = (sector_id.into(), [0; 32]);
    let request =
        PorepRequest { c1: &c1, sector_number, prover_id, circuit_proofs: true, job: JobOptions::default() };
    let proof = engine()?.submit_porep(&request)?.join()?;
    Ok(SealCommitPhase2Output { proof })
}

fn json(phase1_output: impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(&phase1_output)
        .map_err(|e| Error::new(Code::Argument, "phase1_output", format!("phase1_output: {e}")))
}

/// Whether `proof_vec` proves that the sector was sealed as the commitments say.
#[allow(clippy::too_many_arguments)] // the published signature
pub fn verify_seal(
    registered_proof: impl Serialize,
    comm_r_in: Commitment,
    comm_d_in: Commitment,
    prover_id: ProverId,
    sector_id: impl Into<u64>,
    ticket: Ticket,
    seed: Ticket,
    proof_vec: &[u8],
) -> Result<bool> {
    let info = PorepInfo {
        registered_proof: seal_proof(registered_proof)?,
        sector_number: sector_id.into(),
        prover_id,
        comm_r: comm_r_in,
        comm_d: comm_d_in,
        ticket,
        seed,
        circuit_proofs: false,
    };
    engine()?.verify_porep(&info, proof_vec)
}

/// Whether each of several seal proofs of one kind holds. The lists have one entry
/// for each; none, or lists of different lengths, are an error.
#[allow(clippy::too_many_arguments)] // the published signature
pub fn verify_batch_seal<S: Copy + Into<u64>>(
    registered_proof: impl Serialize,
    comm_r_ins: &[Commitment],
    comm_d_ins: &[Commitment],
    prover_ids: &[ProverId],
    sector_ids: &[S],
    tickets: &[Ticket],
    seeds: &[Ticket],
    proof_vecs: &[&[u8]],
) -> Result<bool> {
    let count = comm_r_ins.len();
    let lengths =
        [comm_d_ins.len(), prover_ids.len(), sector_ids.len(), tickets.len(), seeds.len(), proof_vecs.len()];
    if count == 0 || lengths.iter().any(|n| *n != count) {
        let text = format!("{count} comm_r and {lengths:?} of the others, want as many of each");
        return Err(Error::new(Code::Argument, "comm_r_ins", text));
    }
    let number = seal_proof(registered_proof)?;
    let mut all = true;
    for i in 0..count {
        let info = PorepInfo {
            registered_proof: number,
            sector_number: sector_ids[i].into(),
            prover_id: prover_ids[i],
            comm_r: comm_r_ins[i],
            comm_d: comm_d_ins[i],
            ticket: tickets[i],
            seed: seeds[i],
            // The published function takes partitions as they are, also of
            // non-interactive sectors.
            circuit_proofs: true,
        };
        all &= engine()?.verify_porep(&info, proof_vecs[i])?;
    }
    Ok(all)
}

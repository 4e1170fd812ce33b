//! Fresh sectors, proved by libcuzk and judged by the published verifier; and
//! the other way round, with libcuzk's parameters in bellperson's hands.

use cuzk::{filecoin, Code, Kind, PorepInfo};
use cuzk_interop::{cache, sector};
use filecoin_proofs_api::{seal, RegisteredSealProof, SectorId};
use sector::Sector;

/// A sector sealed with the published crates, parameters at hand.
fn fresh(proof: RegisteredSealProof) -> Sector {
    cache::ready(Kind::Porep);
    let mut rng = sector::printed_rng(&format!("{proof:?}"));
    Sector::seal(proof, 1000, &mut rng).unwrap_or_else(|e| panic!("sealing: {e:?}"))
}

/// libcuzk's own verdict, through the call that bears the published name.
fn own_verdict(s: &Sector, proof: &[u8]) -> cuzk::Result<bool> {
    filecoin::seal::verify_seal(
        s.registered_proof,
        s.comm_r,
        s.comm_d,
        s.prover_id,
        SectorId::from(s.number),
        s.ticket,
        s.seed,
        proof,
    )
}

/// Both verifiers accept `proof` for `s`, and for nothing else.
fn assert_proves(s: &Sector, proof: &[u8]) {
    assert_eq!(proof.len(), 192);
    assert!(s.published_verdict(proof).unwrap(), "the published verifier rejects the proof");
    assert!(own_verdict(s, proof).unwrap(), "libcuzk rejects the proof");
    let other = PorepInfo {
        registered_proof: s.registered_proof as i32,
        sector_number: s.number + 1,
        prover_id: s.prover_id,
        comm_r: s.comm_r,
        comm_d: s.comm_d,
        ticket: s.ticket,
        seed: s.seed,
        circuit_proofs: false,
    };
    assert!(
        !cache::ready(Kind::Porep).verify_porep(&other, proof).unwrap(),
        "libcuzk accepts another sector's proof"
    );
}

/// The drop-in call, with the published crate's own types as arguments.
fn drop_in(s: &Sector) -> cuzk::Result<Vec<u8>> {
    let id = SectorId::from(s.number);
    filecoin::seal::seal_commit_phase2(s.c1.clone(), s.prover_id, id).map(|out| out.proof)
}

/// By the call for circuit proofs, which for interactive sectors are the seal proof.
#[test]
fn v1_as_circuit_proofs() {
    let s = fresh(RegisteredSealProof::StackedDrg2KiBV1);
    let id = SectorId::from(s.number);
    let out = filecoin::seal::seal_commit_phase2_circuit_proofs(s.c1.clone(), id).unwrap();
    assert_proves(&s, &out.proof);
}

#[test]
fn v1_1_from_the_bytes_of_phase_1() {
    let s = fresh(RegisteredSealProof::StackedDrg2KiBV1_1);
    let proof = cache::ready(Kind::Porep).prove_porep(&s.c1_json(), s.number, &s.prover_id).unwrap();
    assert_proves(&s, &proof);
}

#[test]
fn synthetic() {
    let s = fresh(RegisteredSealProof::StackedDrg2KiBV1_1_Feat_SyntheticPoRep);
    assert_proves(&s, &drop_in(&s).unwrap());
}

/// Its proof is an aggregate, for which the SRS of aggregation must be there: where
/// the folder of parameters has none, that is said.
#[test]
fn non_interactive() {
    let s = fresh(RegisteredSealProof::StackedDrg2KiBV1_2_Feat_NonInteractivePoRep);
    match drop_in(&s) {
        Ok(proof) => {
            assert!(s.published_verdict(&proof).unwrap(), "the published verifier rejects the aggregate");
            assert!(own_verdict(&s, &proof).unwrap(), "libcuzk rejects the aggregate");
        }
        Err(error) => assert_eq!(error.code, Code::SrsMissing, "{error}"),
    }
}

/// The published function finds out after a whole proof, libcuzk before it.
#[test]
fn another_sector_or_prover_is_refused() {
    let s = fresh(RegisteredSealProof::StackedDrg2KiBV1_1);
    let engine = cache::ready(Kind::Porep);
    let c1 = s.c1_json();
    for (number, prover) in [(s.number ^ 1, s.prover_id), (s.number, cuzk::prover_id(999))] {
        let error = engine.prove_porep(&c1, number, &prover).unwrap_err();
        assert_eq!(error.code, Code::InputMismatch, "{error}");
        assert!(!error.message.is_empty());
    }
}

/// bellperson proves with the `.params` file that libcuzk made.
#[test]
fn bellperson_proves_with_our_parameters() {
    let s = fresh(RegisteredSealProof::StackedDrg2KiBV1_1);
    let out = seal::seal_commit_phase2(s.c1.clone(), s.prover_id, SectorId::from(s.number))
        .unwrap_or_else(|e| panic!("bellperson: {e:?}"));
    assert_proves(&s, &out.proof);
}

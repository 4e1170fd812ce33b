//! SnapDeals: new data in a fresh sector, proved through the call that bears the
//! published name and judged by the published verifier.

use cuzk::{
    filecoin::{update, PartitionProofBytes},
    Code, Kind,
};
use cuzk_interop::{cache, sector, sector::Sector, update::Update};
use filecoin_proofs_api::RegisteredSealProof;

#[test]
fn an_update_is_proved() {
    cache::ready(Kind::Update);
    let mut rng = sector::printed_rng("update");
    let sealed = Sector::seal(RegisteredSealProof::StackedDrg2KiBV1_1, 1000, &mut rng).unwrap();
    let u = Update::of(&sealed, &mut rng).unwrap();
    let vanilla = || u.vanilla.iter().cloned().map(PartitionProofBytes).collect();
    let (old, new, d) = (u.comm_r_old, u.comm_r_new, u.comm_d_new);
    let prove = |old, new| {
        update::generate_empty_sector_update_proof_with_vanilla(u.registered_proof, vanilla(), old, new, d)
    };

    let proof = prove(old, new).unwrap().0;
    assert_eq!(proof.len(), 192);
    assert!(u.published_verdict(&proof).unwrap(), "the published verifier rejects the proof");
    let own =
        |old, new| update::verify_empty_sector_update_proof(u.registered_proof, &proof, old, new, d).unwrap();
    assert!(own(old, new), "libcuzk rejects the proof");
    assert!(!own(new, old), "accepted with old and new exchanged");

    let error = prove(new, old).unwrap_err();
    assert_eq!(error.code, Code::InputMismatch, "{error}");
}

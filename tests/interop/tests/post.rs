//! WinningPoSt and WindowPoSt of fresh sectors, proved through the calls that
//! bear the published names and judged by the published verifier.

use cuzk::{
    filecoin::{self, PublicReplicaInfo},
    Code, Kind,
};
use cuzk_interop::{cache, post::Post, sector, sector::Sector};
use filecoin_proofs_api::{post, RegisteredPoStProof, RegisteredSealProof, SectorId};
use rand::Rng;
use std::collections::BTreeMap;

/// `count` sectors of one miner, challenged.
fn challenged(proof: RegisteredPoStProof, count: usize) -> Post {
    let mut rng = sector::printed_rng(&format!("{proof:?}"));
    let miner = rng.gen_range(1000..1 << 40);
    let seal = RegisteredSealProof::StackedDrg2KiBV1_1;
    let sectors: Vec<Sector> = (0..count).map(|_| Sector::seal(seal, miner, &mut rng).unwrap()).collect();
    Post::challenge(proof, &sectors, &mut rng).unwrap()
}

/// The public side of a PoSt for libcuzk's verifiers.
fn replicas(p: &Post) -> BTreeMap<SectorId, PublicReplicaInfo> {
    let one =
        |(id, comm_r): (&SectorId, &[u8; 32])| (*id, PublicReplicaInfo::new(p.registered_proof, *comm_r));
    p.comm_r.iter().map(one).collect()
}

/// Both verifiers accept a WindowPoSt, and neither for other randomness.
fn assert_window(p: &mut Post, proof: &[u8], partitions: usize) {
    assert_eq!(proof.len(), partitions * 192);
    let own = |p: &Post| {
        let proofs = [(p.registered_proof, proof)];
        filecoin::post::verify_window_post(&p.randomness, &proofs, &replicas(p), p.prover_id).unwrap()
    };
    assert!(p.published_verdict(proof).unwrap(), "the published verifier rejects the proof");
    assert!(own(p), "libcuzk rejects the proof");
    p.randomness[0] ^= 1;
    assert!(!p.published_verdict(proof).unwrap() && !own(p), "accepted for other randomness");
    p.randomness[0] ^= 1;
}

#[test]
fn winning() {
    cache::ready(Kind::WinningPost);
    let p = challenged(RegisteredPoStProof::StackedDrgWinning2KiBV1, 1);
    let made = filecoin::post::generate_winning_post_with_vanilla(
        p.registered_proof,
        &p.randomness,
        p.prover_id,
        &p.vanilla,
    )
    .unwrap();
    let [(registered, proof)] = &made[..] else { panic!("{} proofs", made.len()) };
    assert_eq!(*registered, p.registered_proof);
    assert_eq!(proof.len(), 192);
    assert!(p.published_verdict(proof).unwrap(), "the published verifier rejects the proof");
    let own = |randomness: &[u8; 32]| {
        filecoin::post::verify_winning_post(randomness, proof, &replicas(&p), p.prover_id).unwrap()
    };
    assert!(own(&p.randomness));
    assert!(!own(&[1; 32]), "accepted for other randomness");
}

/// Two partitions, the second padded: as a whole, and by partition and merge.
#[test]
fn window_of_three_sectors() {
    cache::ready(Kind::WindowPost);
    let mut p = challenged(RegisteredPoStProof::StackedDrgWindow2KiBV1_2, 3);
    let whole = filecoin::post::generate_window_post_with_vanilla(
        p.registered_proof,
        &p.randomness,
        p.prover_id,
        &p.vanilla,
    )
    .unwrap();
    assert_window(&mut p, &whole[0].1, 2);

    let parts = p.vanilla.chunks(2).enumerate().map(|(k, vanilla)| {
        filecoin::post::generate_single_window_post_with_vanilla(
            p.registered_proof,
            &p.randomness,
            p.prover_id,
            vanilla,
            k,
        )
        .unwrap()
    });
    let merged =
        filecoin::post::merge_window_post_partition_proofs(p.registered_proof, parts.collect()).unwrap();
    assert_window(&mut p, &merged, 2);
}

/// The first version numbers challenges across the whole list of sectors.
#[test]
fn window_of_the_first_version() {
    cache::ready(Kind::WindowPost);
    let mut p = challenged(RegisteredPoStProof::StackedDrgWindow2KiBV1, 3);
    let made = filecoin::post::generate_window_post_with_vanilla(
        p.registered_proof,
        &p.randomness,
        p.prover_id,
        &p.vanilla,
    )
    .unwrap();
    assert_window(&mut p, &made[0].1, 2);
}

#[test]
fn kinds_are_not_mixed() {
    cache::ready(Kind::WindowPost);
    let p = challenged(RegisteredPoStProof::StackedDrgWindow2KiBV1_2, 1);
    let error = filecoin::post::generate_winning_post_with_vanilla(
        p.registered_proof,
        &p.randomness,
        p.prover_id,
        &p.vanilla,
    )
    .unwrap_err();
    assert_eq!(error.code, Code::Argument, "{error}");
    let error = filecoin::post::verify_winning_post(&p.randomness, &[0; 192], &replicas(&p), p.prover_id);
    assert_eq!(error.unwrap_err().code, Code::Argument);
}

/// What to open and which sector won follow from the same rules here and there.
#[test]
fn challenges_agree_with_the_published_ones() {
    let mut rng = sector::printed_rng("challenges");
    cache::ready(Kind::WindowPost);
    let prover_id = cuzk::prover_id(rng.gen_range(0..u64::MAX));
    let mut randomness: [u8; 32] = rng.gen();
    randomness[31] &= 0x3f;
    let mut ids: Vec<SectorId> = (0..7).map(|_| SectorId::from(rng.gen_range(0..1 << 60))).collect();
    ids.sort();
    let (window_v1, window) =
        (RegisteredPoStProof::StackedDrgWindow32GiBV1, RegisteredPoStProof::StackedDrgWindow32GiBV1_2);
    let winning = RegisteredPoStProof::StackedDrgWinning64GiBV1;

    for (proof, ids) in [(window_v1, &ids[..]), (window, &ids), (winning, &ids[..1])] {
        let theirs = post::generate_fallback_sector_challenges(proof, &randomness, ids, prover_id).unwrap();
        let ours = filecoin::post::generate_fallback_sector_challenges(proof, &randomness, ids, prover_id);
        assert_eq!(ours.unwrap(), theirs, "{proof:?}");
    }
    for eligible in [1, 2, 1000, u64::MAX] {
        let theirs = post::generate_winning_post_sector_challenge(winning, &randomness, eligible, prover_id);
        let ours =
            filecoin::post::generate_winning_post_sector_challenge(winning, &randomness, eligible, prover_id);
        assert_eq!(ours.unwrap(), theirs.unwrap(), "{eligible} sectors");
    }
    for sectors in [1, 2349, 2350, 10_000] {
        let theirs = post::get_num_partition_for_fallback_post(window, sectors).unwrap();
        assert_eq!(filecoin::post::get_num_partition_for_fallback_post(window, sectors).unwrap(), theirs);
    }
}

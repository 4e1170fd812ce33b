//! What a proof of replication is about.

/// What the chain knows of a sealed sector: the public side of its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PorepInfo {
    /// The network's number of the seal proof, 0 to 19; 8 is 32 GiB V1_1.
    pub registered_proof: i32,
    /// The sector's number.
    pub sector_number: u64,
    /// The miner, see [`prover_id`].
    pub prover_id: [u8; 32],
    /// Commitment to the replica.
    pub comm_r: [u8; 32],
    /// Commitment to the data.
    pub comm_d: [u8; 32],
    /// Randomness of sealing.
    pub ticket: [u8; 32],
    /// Randomness of the challenges.
    pub seed: [u8; 32],
}

/// The prover id of a miner: the payload of its ID address (the actor number
/// as unsigned LEB128), padded to 32 bytes with zeros.
///
/// ```
/// assert_eq!(cuzk::prover_id(1001)[..3], [0xe9, 0x07, 0x00]);
/// ```
pub const fn prover_id(miner: u64) -> [u8; 32] {
    let mut id = [0u8; 32];
    let (mut rest, mut i) = (miner, 0);
    while rest >= 0x80 {
        id[i] = rest as u8 | 0x80;
        rest >>= 7;
        i += 1;
    }
    id[i] = rest as u8;
    id
}

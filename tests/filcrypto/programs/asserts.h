/* asserts.h - where every field lies, in numbers: included after the public
 * header and after layouts.h, so that both agree. For 64-bit machines. */
#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)
#define SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)

SIZE(FCPResponseStatus_t, 4);
SIZE(RegisteredSealProof_t, 4);
SIZE(RegisteredPoStProof_t, 4);
SIZE(RegisteredUpdateProof_t, 4);
SIZE(uint8_32_array_t, 32);

#define ARRAY(type)   \
    SIZE(type, 16);   \
    AT(type, ptr, 0); \
    AT(type, len, 8)
ARRAY(slice_ref_uint8_t);
ARRAY(slice_ref_uint64_t);
ARRAY(slice_ref_slice_boxed_uint8_t);
ARRAY(slice_ref_PublicReplicaInfo_t);
ARRAY(slice_ref_AggregationInputs_t);
ARRAY(slice_ref_uint8_32_array_t);
ARRAY(slice_ref_PoStProof_t);
ARRAY(slice_boxed_uint8_t);
ARRAY(slice_boxed_uint64_t);
ARRAY(slice_boxed_PoStProof_t);
ARRAY(slice_boxed_slice_boxed_uint64_t);

SIZE(RegisteredAggregationProof_t, 4);
SIZE(AggregationInputs_t, 136);
AT(AggregationInputs_t, comm_r, 0);
AT(AggregationInputs_t, comm_d, 32);
AT(AggregationInputs_t, sector_id, 64);
AT(AggregationInputs_t, ticket, 72);
AT(AggregationInputs_t, seed, 104);
SIZE(PoStProof_t, 24);
AT(PoStProof_t, registered_proof, 0);
AT(PoStProof_t, proof, 8);
SIZE(PartitionSnarkProof_t, 24);
AT(PartitionSnarkProof_t, registered_proof, 0);
AT(PartitionSnarkProof_t, proof, 8);
SIZE(PublicReplicaInfo_t, 48);
AT(PublicReplicaInfo_t, registered_proof, 0);
AT(PublicReplicaInfo_t, comm_r, 4);
AT(PublicReplicaInfo_t, sector_id, 40);
SIZE(GenerateWindowPoSt_t, 32);
AT(GenerateWindowPoSt_t, proofs, 0);
AT(GenerateWindowPoSt_t, faulty_sectors, 16);
SIZE(GenerateSingleWindowPoStWithVanilla_t, 40);
AT(GenerateSingleWindowPoStWithVanilla_t, partition_proof, 0);
AT(GenerateSingleWindowPoStWithVanilla_t, faulty_sectors, 24);
SIZE(GenerateFallbackSectorChallenges_t, 32);
AT(GenerateFallbackSectorChallenges_t, ids, 0);
AT(GenerateFallbackSectorChallenges_t, challenges, 16);

#define OUTCOME(type, size)   \
    SIZE(type, size);         \
    AT(type, status_code, 0); \
    AT(type, error_msg, 8);   \
    AT(type, value, 24)
OUTCOME(Result_slice_boxed_uint8_t, 40);
OUTCOME(Result_bool_t, 32);
OUTCOME(Result_size_t, 32);
OUTCOME(Result_slice_boxed_uint64_t, 40);
OUTCOME(Result_slice_boxed_PoStProof_t, 40);
OUTCOME(Result_PoStProof_t, 48);
OUTCOME(Result_GenerateWindowPoSt_t, 56);
OUTCOME(Result_GenerateSingleWindowPoStWithVanilla_t, 64);
OUTCOME(Result_GenerateFallbackSectorChallenges_t, 56);

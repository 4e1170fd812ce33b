/* The public header alone: its layouts and its numbers. */
#include "cuzk_filcrypto.h"
#include "cuzk_filcrypto.h"
#include "asserts.h"

_Static_assert(F_C_P_RESPONSE_STATUS_RECEIVER_ERROR == 3, "status");
_Static_assert(REGISTERED_SEAL_PROOF_STACKED_DRG2_KI_B_V1 == 0, "seal");
_Static_assert(REGISTERED_SEAL_PROOF_STACKED_DRG32_GI_B_V1_1 == 8, "seal");
_Static_assert(REGISTERED_SEAL_PROOF_STACKED_DRG64_GI_B_V1_1__FEAT__SYNTHETIC_PO_REP == 14, "seal");
_Static_assert(REGISTERED_SEAL_PROOF_STACKED_DRG64_GI_B_V1_2__FEAT__NON_INTERACTIVE_PO_REP == 19, "seal");
_Static_assert(REGISTERED_PO_ST_PROOF_STACKED_DRG_WINNING32_GI_B_V1 == 3, "winning");
_Static_assert(REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW32_GI_B_V1 == 8, "window");
_Static_assert(REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW32_GI_B_V1_1 == 13, "window");
_Static_assert(REGISTERED_UPDATE_PROOF_STACKED_DRG64_GI_B_V1 == 4, "update");

int main(void)
{
    return 0;
}

"""``python -m cuzk serve``: the proving service over gRPC, of the extra ``cuzk[serve]``."""

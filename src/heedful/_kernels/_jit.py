"""The one place for numba's options.

Every kernel is compiled on first use, kept in numba's disk cache and run without the GIL, so blocks of queries run in
threads. There is no ``parallel=True``: rows share nothing, and a thread works on whole blocks, so results cannot
depend on the number of threads. ``contract`` (fused multiply-add) is the only relaxed rule; NaN and infinity keep
their meaning. ``sum_row`` may also add in another order (``reassoc``), the same at every call: sums of weights that are
looked up are twice as fast.

Kernels are written in plain loops: slice assignment, fancy indexing and array expressions would take most of the time
to compile, for nothing in speed.
"""

import numba

one_row = numba.njit(cache=True, nogil=True, fastmath={"contract"}, error_model="numpy")
many_rows = one_row
sum_row = numba.njit(cache=True, nogil=True, fastmath={"contract", "reassoc"}, error_model="numpy")

"""Kernels: functions that numba compiles once, ever, and that later runs call without numba.

numba's import alone takes longer than many a run, so compiled code is kept in files and called by
hand.

    kernel         what the decorators make of a function, and which way it is called
    callee         what kernels call, and how numba is told of it
    intrinsics     machine instructions that kernels name; lowering says what they are natively
    native         compiles by way of numba's private parts; trial tries the result elsewhere
    cache          keeps compiled code; fingerprint names the folder after all it depends on
    calling, elf   call and link compiled code without numba
    interpreter    runs kernels as the Python functions that they are
    announcement   what is said about compiling

The code is kept in NUMBA_CACHE_DIR/lomtree if that is set, else in XDG_CACHE_HOME/lomtree or
~/.cache/lomtree, else in a folder of the user's own in the temporary folder; never below a relative
path, and never where others could write. The last four versions of it stay; all of it may be
deleted at any time.

Two switches in the environment call kernels in other ways; models and predictions are the same.

    LOMTREE_PLAIN_NJIT=1  Use plain numba.njit and nothing private of numba, and keep no code: every
                          run compiles what it needs. Where the private parts, the linker or the
                          calling convention fail (another version of numba, another platform),
                          this is done by itself, and said on stderr.
    NUMBA_DISABLE_JIT=1   Run the Python functions themselves: some thousand times slower, but a
                          debugger can step through them. numba is not imported.

May import lomtree.system and what is below it.
"""

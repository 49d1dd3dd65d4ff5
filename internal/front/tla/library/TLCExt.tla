---- MODULE TLCExt ----
\* Operators about TLC itself: the ones that say nothing about a behaviour.
LOCAL INSTANCE TLC
AssertEq(a, b) == Assert(a = b, <<a, b>>)
AssertError(message, e) == TRUE
TLCModelValue(name) == name
TLCDefer(e) == TRUE
PickSuccessor(e) == TRUE
TLCNoOp(v) == v
TLCCache(e, closure) == e
====

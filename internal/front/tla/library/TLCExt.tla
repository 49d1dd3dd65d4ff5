---- MODULE TLCExt ----
\* Operators about TLC itself: the ones that say nothing about a behaviour.
LOCAL INSTANCE TLC
LOCAL Refused(name) == Assert(FALSE, <<name, "is not supported">>)
Trace == Refused("Trace")
CounterExample == Refused("CounterExample")
ToTrace(CE) == Refused("ToTrace")
AssertEq(a, b) == Assert(a = b, <<a, b>>)
AssertError(message, e) == Refused("AssertError")
TLCModelValue(name) == Refused("TLCModelValue")
TLCDefer(e) == TRUE
PickSuccessor(e) == TRUE
\* What they are about depends on the order in which expressions are evaluated, as for TLCGet.
TLCGetOrDefault(key, default) == TLCGet(key)
TLCGetAndSet(key, Op(_, _), v, default) == TLCGet(key)
TLCNoOp(v) == v
TLCCache(e, closure) == e
====

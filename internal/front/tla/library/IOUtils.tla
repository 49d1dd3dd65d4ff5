---- MODULE IOUtils ----
\* The environment, which is empty here: a verdict depends on nothing but the files.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL INSTANCE Erelong

LOCAL Refused(name) == Assert(FALSE, name \o " is not supported: no files are read or written")

IOEnv == [x \in {} |-> x]
atoi(s) == Number(s)
RECURSIVE Padded(_, _)
LOCAL Padded(s, width) == IF Len(s) >= width THEN s ELSE Padded("0" \o s, width)
zeroPadN(n, width) == Padded(ToString(n), width)
IOSerialize(value, file, compress) == Refused("IOSerialize")
IODeserialize(file, compressed) == Refused("IODeserialize")
Serialize(value, file, options) == Refused("Serialize")
Deserialize(file, options) == Refused("Deserialize")
IOExec(command) == Refused("IOExec")
IOEnvExec(env, command) == Refused("IOEnvExec")
IOExecTemplate(command, parameters) == Refused("IOExecTemplate")
IOEnvExecTemplate(env, command, parameters) == Refused("IOEnvExecTemplate")
====

---- MODULE Json ----
\* Values as JSON. A verification reads and writes no files, so that its verdict depends on nothing
\* but the specification.
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

LOCAL Refused(name) == Assert(FALSE, name \o " is not supported: no files are read or written")

ToJson(value) == Refused("ToJson")
ToJsonArray(value) == Refused("ToJsonArray")
ToJsonObject(value) == Refused("ToJsonObject")
JsonSerialize(file, value) == Refused("JsonSerialize")
ndJsonSerialize(file, value) == Refused("ndJsonSerialize")
JsonDeserialize(file) == Refused("JsonDeserialize")
ndJsonDeserialize(file) == Refused("ndJsonDeserialize")
====

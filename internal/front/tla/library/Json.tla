---- MODULE Json ----
\* Values from JSON: of a file beside the specification. A verification writes no files.
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL INSTANCE Erelong

LOCAL Refused(name) == Assert(FALSE, name \o " is not supported")

JsonDeserialize(file) == JsonFile(file)
ndJsonDeserialize(file) == JsonLines(file)
ToJson(value) == Refused("ToJson")
ToJsonArray(value) == Refused("ToJsonArray")
ToJsonObject(value) == Refused("ToJsonObject")
JsonSerialize(file, value) == Refused("JsonSerialize")
ndJsonSerialize(file, value) == Refused("ndJsonSerialize")
====

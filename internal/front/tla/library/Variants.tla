---- MODULE Variants ----
\* Variants: a value with a tag.
UNIT == "U_OF_UNIT"
Variant(tag, value) == [tag |-> tag, value |-> value]
VariantTag(v) == v.tag
VariantFilter(tag, S) == {v.value : v \in {w \in S : w.tag = tag}}
VariantMatch(tag, v, Then(_), Else(_)) == IF v.tag = tag THEN Then(v.value) ELSE Else(v)
VariantGetUnsafe(tag, v) == v.value
VariantGetOrElse(tag, v, default) == IF v.tag = tag THEN v.value ELSE default
====

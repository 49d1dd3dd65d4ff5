package tla

import (
	"strings"
	"testing"
)

// TestLibrary reads each module of the library.
func TestLibrary(t *testing.T) {
	files, err := library.ReadDir("library")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".tla")
		_, err := read(t, "-- L.tla --\n---- MODULE L ----\nEXTENDS "+name+
			"\nVARIABLE x\nInit == x = 0\nNext == x' = x\n====\n-- L.cfg --\nINIT Init NEXT Next\n")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestExpressions evaluates constant expressions, as ASSUMEs of a module that extends all others.
func TestExpressions(t *testing.T) {
	for _, x := range []string{
		`7 \div 2 = 3 /\ (-7) \div 2 = -4 /\ (-7) % 3 = 2 /\ 2^10 = 1024`,
		`[i \in 1..3 |-> i] = <<1, 2, 3>> /\ [x |-> 1].x = 1`,
		`[<<1, 2>> EXCEPT ![1] = @ + 1] = <<2, 2>>`,
		`[[a |-> <<1>>] EXCEPT !.a[1] = 5] = [a |-> <<5>>]`,
		`{x \in 1..10 : x % 2 = 0} = {2 * y : y \in 1..5}`,
		`Cardinality(SUBSET {1, 2, 3}) = 8 /\ {1} \in SUBSET (1..2)`,
		`UNION {{1}, {2, 3}} = 1..3 /\ 5 \in UNION {Nat, {-1}}`,
		`(1..2) \X {"a"} = {<<1, "a">>, <<2, "a">>}`,
		`<<1>> \o <<2>> = <<1, 2>> /\ SubSeq(<<1, 2, 3>>, 2, 3) = <<2, 3>>`,
		`LET F[n \in Nat] == IF n = 0 THEN 1 ELSE n * F[n - 1] IN F[5] = 120`,
		`\A f \in [1..2 -> BOOLEAN] : DOMAIN f = 1..2`,
		`(CHOOSE x \in {3, 1, 2} : x > 1) = 2`,
		`(CASE 1 > 2 -> "a" [] OTHER -> "b") = "b"`,
		`("p" :> 1 @@ "q" :> 2).q = 2`,
		`FoldSet(LAMBDA a, b : a + b, 0, {1, 2, 3}) = 6 /\ SumSet({4, 5}) = 9`,
		`FoldFunction(LAMBDA a, b : a + b, 0, <<1, 2, 3>>) = 6`,
		`Reverse(<<1, 2>>) = <<2, 1>> /\ ToSet(<<1, 1>>) = {1} /\ Last(<<1, 2>>) = 2`,
		`BagCardinality(SetToBag({1, 2}) (+) SetToBag({1})) = 3`,
		`SetToSortSeq({2, 3, 1}, LAMBDA a, b : a > b) = <<3, 2, 1>>`,
		`SelectSeq(<<1, 2, 3>>, LAMBDA x : x # 2) = <<1, 3>>`,
		`Range([x \in {1, 2} |-> x + 1]) = {2, 3} /\ Max({1, 5}) = 5`,
		`\E S \in {{}} : ~\E x \in S : TRUE`,
		`LET Below(n) == [i \in Nat |-> i < n] IN Below(3)[2] /\ ~Below(2)[2]`,
		`LET Op(x, G(_)) == G(x) IN Op(2, LAMBDA y : y * y) = 4`,
		`(12 & 10) = 8 /\ (12 | 10) = 14`,
		`{<<a, b>> \in (1..2) \X (1..2) : a < b} = {<<1, 2>>}`,
		`\A <<a, b>> \in {<<1, 2>>} : a < b`,
		`"ab" \o "c" = "abc" /\ Len("abc") = 3`,
		`FoldBag(LAMBDA a, b : <<a, b>>, <<>>, "x" :> 2 @@ "y" :> 1) =
			<<<<<<<<>>, "x">>, "x">>, "y">>`, // as TLC has it
		`Interleave(<<1, 2>>, <<3, 4>>) = <<<<1>>, <<3>>, <<2>>, <<4>>>> /\
			Interleave(<<>>, <<>>) = <<<<>>, <<>>>>`,
		`Choices({{1, 2}, {2, 3}, {5}}) = {{1, 2, 5}, {1, 3, 5}, {2, 3, 5}, {2, 5}} /\
			Choices({}) = {{}}`,
		`IsSorted(<<1, 1, 2>>, <=) /\ ~IsSorted(<<1, 1, 2>>, <) /\ ~IsSorted(<<1, 3, 2>>, <)`,
		`LET Divides(a, b) == b % a = 0 IN IsPartiallyOrderedUnder(Divides, 1..4) /\
			~IsTotallyOrderedUnder(Divides, 1..4) /\ IsTotallyOrderedUnder(Divides, {1, 2, 4})`,
		`IsStrictlyTotallyOrderedUnder(<, 1..3) /\ ~IsStrictlyTotallyOrderedUnder(<=, 1..3) /\
			IsStrictlyPartiallyOrderedUnder(LAMBDA a, b : a + 1 < b, 1..4) /\
			IsSymmetricUnder(=, 1..3) /\ ~IsSymmetricUnder(<, 1..3) /\
			IsAsymmetricUnder(<, 1..3) /\ ~IsAsymmetricUnder(<=, 1..3) /\
			IsAntiSymmetricUnder(<=, 1..3)`,
		`LET G == [node |-> 1..4, edge |-> {<<1, 2>>, <<3, 2>>, <<3, 4>>}]
			IN IsBipartiteWithPartitions(G, {1, 3}, {2, 4}) /\
			~IsBipartiteWithPartitions(G, {1, 2}, {3, 4})`,
		`ReplaceAllSubSeqs(<<2, 2>>, <<1, 1>>, <<1, 1, 1>>) = <<2, 2, 1>> /\
			ReplaceAllSubSeqs(<<9>>, <<>>, <<1, 2>>) = <<9, 1, 9, 2>> /\
			ReplaceAllSubSeqs("b", "a", "banana") = "bbnbnb" /\
			ReplaceAllSubSeqs("", "an", "banana") = "ba" /\ ReplaceAllSubSeqs(<<3>>, <<>>, <<>>) = <<3>>`,
		`zeroPadN(42, 5) = "00042" /\ zeroPadN(1234, 2) = "1234"`,
		`MapThenFoldBag(+, 0, LAMBDA a : 1, LAMBDA B : 1, 1 :> 2 @@ 3 :> 4) = 6 /\
			MapThenFoldBag(LAMBDA a, b : a \o b, <<>>, LAMBDA a : <<a>>, LAMBDA B : 1,
				1 :> 2 @@ 3 :> 1) = <<1, 1, 3>>`,
		`Add(Half(One), Half(Half(One))) = [num |-> 3, den |-> 4] /\ Add(Half(One), Half(One)) = One /\
			PrettyPrint(Half(Half(One))) = "1/4" /\ IsDyadicRational(Half(One))`,
		`Cardinality(QuorumSystem({1, 2, 3})) = 11`,
		`LET L == <<[c |-> 1 :> 2 @@ 2 :> 1], [c |-> 1 :> 1], [c |-> 2 :> 1]>>
			IN ~IsCausalOrder(L, LAMBDA l : l.c) /\
			CausalOrder(L, LAMBDA l : l.c, LAMBDA l : 1, LAMBDA c : DOMAIN c) = <<L[2], L[3], L[1]>>`,
		`choose(5, 2) = 10 /\ choose(5, 5) = 1 /\ factorial[6] = 720`,
		// The points are what TLC gives.
		`NodeOfRingNetwork(100, 50, 35, 3, 7) = [x |-> 68, y |-> 65]`,
		`NodeOfRingNetwork(100, 50, 35, 8, 8) = [x |-> 135, y |-> 49]`,
		`PointOnLine([x |-> 10, y |-> 3], [x |-> 1, y |-> -6], 2) = [x |-> 5, y |-> -1]`,
		`PointOnLine([x |-> -10, y |-> 3], [x |-> -1, y |-> 16], 4) = [x |-> -7, y |-> 6]`,
		`Line(1, 2, 3, 4, [x1 |-> "5", z |-> "6"]).attrs =
			[x1 |-> "1", y1 |-> "2", x2 |-> "3", y2 |-> "4", z |-> "6"]`,
		`SVGElemToString(Group(<<SVGElem("defs", [i |-> "1"], <<>>, "a"), Svg(<<>>, <<>>)>>,
			[k |-> "v"])) = "<g k='v'><defs i='1'>a</defs><svg></svg></g>"`,
		`SVGDoc(Group(<<>>, <<>>), 0, 1, 2, 3, <<>>).attrs["viewBox"] = "0 1 2 3"`,
		`\neg (1 \in {2}) /\ 1 \notin {2} /\ (TRUE <=> TRUE) /\ (FALSE => FALSE)`,
	} {
		spec, err := read(t, "-- X.tla --\n---- MODULE X ----\nEXTENDS Integers, Sequences, FiniteSets, "+
			"TLC, Bags, FiniteSetsExt, SequencesExt, Functions, Bitwise, SVG, Combinatorics, BagsExt, Relation, Graphs, "+
			"IOUtils, DyadicRationals, Quorum, VectorClocks\nVARIABLE v\nInit == v = ("+x+
			")\nNext == v' = v\nInv == v\n====\n-- X.cfg --\nINIT Init NEXT Next INVARIANT Inv\n")
		if err != nil {
			t.Errorf("%s: %v", x, err)
			continue
		}
		got, err := explore(t, spec.System, spec.System.Computed.Computer(t.Context()))
		if err != nil || got != (explored{1, 2, ""}) {
			t.Errorf("%s: %v %v", x, got, err)
		}
	}
}

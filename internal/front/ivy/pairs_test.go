package ivy

// pairs are files of Ivy, each beside a specification with the same meaning.
var pairs = []struct{ name, instance, ivy, ere string }{
	{"points", "node=2", `#lang ivy1.7
type node
relation r(X:node, Y:node)
relation marked(X:node)
individual leader : node
after init {
    r(X, Y) := X = Y;
    marked(X) := false;
    r(leader, Y) := true
}
action mark(n:node) = {
    require ~marked(n) & r(n, n);
    marked(n) := true;
    r(X, X) := ~r(X, X);
    r(n, Y) := r(Y, n) | marked(Y)
}
action spoil = {
    r(X, Y) := *;
    assume r(X, Y) -> X = Y;
    leader := *
}
action single(n:node) = {
    r(n, leader) := *
}
export mark
export spoil
export single
invariant [never] marked(X) -> r(X, X)
invariant [one] marked(X) & marked(Y) -> X = Y
`, `
sort node
mutable relation r(node, node)
mutable relation marked(node)
mutable constant leader: node
immutable constant first: node
init leader = first
init r(X, Y) <-> X = Y | X = first
init !marked(X)
action mark(n: node) {
  require !marked(n) & r(n, n);
  marked(n) := true;
  r(X, Y) := if X = Y then !r(X, Y) else r(X, Y);
  r(n, Y) := r(Y, n) | marked(Y);
}
action spoil() { r := *; assume forall X, Y. r(X, Y) -> X = Y; leader := *; }
action single(n: node) { r(n, leader) := *; }
safety [never] marked(X) -> r(X, X)
safety [one] marked(X) & marked(Y) -> X = Y
`},
	{"branches", "", `#lang ivy1.6
type state = {idle, busy, done}
type number
interpret number -> int
individual at : state
individual n : number
after init { at := idle; n := 0 }
action positive(x:number) returns (y:number) = { require x > 0; y := x }
action pick(b:bool) returns (k:number) = {
    if b { k := 1 } else if at = busy { k := 2 } else { k := 0 - 1 }
}
action step = {
    local x:number, y:number {
        x := positive(n) if n > 0 else n;
        if * { x := x + 1 } else { y := pick(at = idle); x := x + y };
        assume x < 3 & 0 - 3 < x;
        n := x;
        at := busy if at = idle else done
    }
}
action reset = { assume at = done; at := idle }
export step
export reset
conjecture [small] n < 2
`, `
enum state { idle, busy, done }
mutable constant at: state
mutable constant n: int
init at = idle & n = 0
action step() {
  choose b: bool;
  let k = if at = idle then 1 else if at = busy then 2 else -1;
  let x = n + (if b then 1 else k);
  require x < 3 & -3 < x;
  n := x;
  at := if at = idle then busy else done;
}
action reset() { assume at = done; at := idle; }
safety [small] n < 2
`},
	{"monitors", "node=2", `#lang ivy1.7
type node
object server = {
    relation free(X:node)
    individual holder : node
    after init { free(X) := true }
    action grant(x:node) returns (again:bool)
    specification {
        before grant {
            require free(x)
        }
        after grant {
            ensure ~free(x) & (again -> ~old free(x));
            ensure old free(x)
        }
    }
    implementation {
        implement grant { again := ~free(x); free(x) := false; holder := x }
    }
}
object client = {
    relation has(X:node)
    after init { has(X) := false }
    action ask(n:node) = {
        local got:bool {
            call got := server.grant(n);
            has(n) := ~got
        }
    }
    action give(n:node) = { require has(n); has(n) := false; server.free(n) := true }
}
export client.ask
export client.give
export server.grant
invariant [taken] client.has(X) -> ~server.free(X)
`, `
sort node
mutable relation server_free(node)
mutable constant server_holder: node
mutable relation client_has(node)
mutable relation ask_fails_
init !ask_fails_
init server_free(X) & !client_has(X)
action client_ask(n: node) {
  require server_free(n);
  server_free(n) := false; server_holder := n; client_has(n) := true;
}
action client_give(n: node) { require client_has(n); client_has(n) := false; server_free(n) := true; }
action server_grant(x: node) { require server_free(x); server_free(x) := false; server_holder := x; }
action unfree_to_failure(n: node) { require !server_free(n); ask_fails_ := true; }
safety [taken] client_has(X) -> !server_free(X)
safety [client_ask_require_10] !ask_fails_
`},
	{"loops", "", `#lang ivy1.7
type number = {0..3}
individual n : number
individual up : bool
after init { n := 0; up := true }
action climb = {
    local i:number {
        i := 0;
        while i < 2
        invariant i <= 2
        invariant n = 0 | n = i
        {
            i := i + 1;
            n := i;
            up := false
        };
        assume n <= 3
    }
}
export climb
invariant [low] n < 2
`, `
mutable constant n: 0..3
mutable relation up
mutable relation entry_fails_, turn_fails_
init n = 0 & up & !entry_fails_ & !turn_fails_
action climb() {
  require n = 0;
  choose m: 0..2 with m = 0 | m = 2;
  n := m; up := *;
}
action entry_to_failure() { require n != 0; entry_fails_ := true; }
safety [low] n < 2
safety [climb_invariant_11] !entry_fails_
`},
	{"parameters", "node=2", `#lang ivy1.7
type node
module counter(init_value) = {
    individual value : bool
    after init { value := init_value }
    action flip(by:node) returns (was:bool) = {
        was := value;
        value := ~value
    }
}
object server(self:node) = {
    instance c : counter(false)
    relation peer(X:node)
    after init { peer(X) := X = self }
    action peek(x:node) = { require peer(x) }
    before poke { call peek(other) }
    action poke(other:node) = {
        if some y:node. y ~= self & ~peer(y) {
            peer(y) := true;
            var old_value := c.flip(other);
            if old_value { server(other).peer(X) := X = other }
        } else {
            peer(other) := false
        }
    }
    after c.flip {
        ensure value_changed(was)
    }
    definition value_changed(b:bool) = (c.value ~= b)
    invariant [own] peer(self) | c.value
}
export server.poke
`, `
sort node
mutable relation server_c_value(node)
mutable relation server_peer(node, node)
init !server_c_value(S)
init server_peer(S, X) <-> X = S
action server_poke(self: node, other: node) {
  require server_peer(self, other);
  if exists y: node. y != self & !server_peer(self, y) {
    choose y: node with y != self & !server_peer(self, y);
    server_peer(self, y) := true;
    let was = server_c_value(self);
    server_c_value(self) := !server_c_value(self);
    if was { server_peer(other, X) := X = other; }
  } else {
    server_peer(self, other) := false;
  }
}
safety [server_own] server_peer(S, S) | server_c_value(S)
`},
	{"numbers", "", `#lang ivy1.7
type count
interpret count -> nat
type bits
interpret bits -> bv[2]
individual n : count
individual b : bits
after init { n := 0; b := 3 }
action add(twice:bool) = {
    var x : count := 1;
    if twice { x := x + 1 };
    require n + x <= 3;
    n := n + x;
    b := b + 1
}
action sub = {
    n := n - 2;
    b := b - 3
}
export add
export sub
invariant [even] n ~= 3
invariant [wrapped] b < 3
`, `
mutable constant n: int
mutable constant b: int
init n = 0 & b = 3
action add(twice: bool) { let x = if twice then 2 else 1; require n + x <= 3; n := n + x; b := if b = 3 then 0 else b + 1; }
action sub() { n := if n < 2 then 0 else n - 2; b := if b < 3 then b + 1 else 0; }
safety [even] n != 3
safety [wrapped] b < 3
`},
	{"exchanged", "node=2", `#lang ivy1.7
type node
relation q(X:node, Y:node)
relation s(X:node, Y:node)
after init {
    s(X, Y) := q(X, Y);
    q(X, Y) := q(Y, X)
}
action turn(n:node) = { q(n, n) := ~q(n, n); s(n, n) := s(n, n) }
export turn
invariant [turned] s(X, Y) <-> q(Y, X)
invariant [same] s(X, Y) <-> q(X, Y)
`, `
sort node
mutable relation q(node, node)
mutable relation s(node, node)
immutable relation first(node, node)
init s(X, Y) <-> first(X, Y)
init q(X, Y) <-> first(Y, X)
action turn(n: node) { q(n, n) := !q(n, n); s(n, n) := s(n, n); }
safety [turned] s(X, Y) <-> q(Y, X)
safety [same] s(X, Y) <-> q(X, Y)
`},
	{"best", "node=2", `#lang ivy1.7
type node
type level = {0..1}
function f(X:node) : level
individual m : node
action best = { if some _x:node. f(_x) = f(_x) minimizing f(_x) { m := _x } }
action mix = { f(X) := * }
export best
export mix
`, `
sort node
mutable function f(node): 0..1
mutable constant m: node
action best() { choose x: node with forall y: node. f(x) <= f(y); m := x; }
action mix() { f := *; }
`},
	{"types", "node=2", `#lang ivy1.7
type node
relation marked(X:node)
after init { marked(X) := false }
action mark(n) = { marked(n) := true }
export mark
`, `
sort node
mutable relation marked(node)
init !marked(X)
action mark(n: node) { marked(n) := true; }
`},
	{"records", "node=2, pair=2", `#lang ivy1.7
type node
type pair = struct { left : bool, has(X:node) : bool }
individual p : pair
action turn(b:bool) = { p.left := b }
action give(n:node) = { p.has(n) := ~p.has(n) }
action all(b:bool) = { p.has(X) := b }
action spoil(n:node) = { p.has(n) := * }
action copy = {
    var x : pair := p;
    x.left := ~x.left;
    p := x
}
export turn
export give
export all
export spoil
export copy
invariant [one] p.left & p.has(X) -> p.has(Y)
`, `
sort node
sort pair
immutable relation left(pair)
immutable relation has(pair, node)
mutable constant p: pair
action turn(b: bool) { choose m: pair with (left(m) <-> b) & (forall X. has(m, X) <-> has(p, X)); p := m; }
action give(n: node) { choose m: pair with (left(m) <-> left(p)) & (forall X. has(m, X) <-> (has(p, X) <-> X != n)); p := m; }
action all(b: bool) { choose m: pair with (left(m) <-> left(p)) & (forall X. has(m, X) <-> b); p := m; }
action spoil(n: node) { choose m: pair with (left(m) <-> left(p)) & (forall X. X != n -> (has(m, X) <-> has(p, X))); p := m; }
action copy() { choose m: pair with (left(m) <-> !left(p)) & (forall X. has(m, X) <-> has(p, X)); p := m; }
safety [one] left(p) & has(p, X) -> has(p, Y)
`},
	{"instances", "node=2", `#lang ivy1.7
type node
type state = {idle, busy}
type level
interpret level -> {0..2}
module cell(t, empty) = {
    individual value : t
    after init { value := empty }
    action set(x:t) = { require x ~= empty; value := x }
    action clear = { value := empty }
}
module owned(me) = {
    individual full : bool
    after init { full := false }
    action fill(x:node) = { require x = me; full := ~full }
}
module ordered(t, lt) = {
    individual last : t
    after init { last := 1 }
    action next(x:t) = { require lt(last, x); last := x }
}
instance s : cell(state, idle)
instance b : cell(bool, false)
instance c(n:node) : owned(n)
instance up : ordered(level, <)
instance down : ordered(level, >)
export s
export b
export c.fill
export up.next
export down.next
invariant [all] c.full(X) -> c.full(Y)
`, `
enum state { idle, busy }
sort node
mutable constant s_value: state
mutable relation b_value
mutable relation c_full(node)
mutable constant up_last: 0..2
mutable constant down_last: 0..2
init s_value = idle & !b_value & !c_full(X) & up_last = 1 & down_last = 1
action s_set(x: state) { require x != idle; s_value := x; }
action s_clear() { s_value := idle; }
action b_set(x: bool) { require x; b_value := x; }
action b_clear() { b_value := false; }
action c_fill(n: node, x: node) { require x = n; c_full(n) := !c_full(n); }
action up_next(x: 0..2) { require up_last < x; up_last := x; }
action down_next(x: 0..2) { require down_last > x; down_last := x; }
safety [all] c_full(X) -> c_full(Y)
`},
	{"results", "node=2", `#lang ivy1.7
type node
relation marked(X:node)
individual leader : node
after init { marked(X) := false }
action two(n:node) returns (x:node, b:bool) = {
    x := leader;
    b := marked(n);
    leader := n
}
action step(n:node) = {
    var y : node;
    var c : bool;
    (y, c) := two(n);
    if ~c { marked(y) := true };
    call y, c := two(y);
    if c { marked(y) := false }
}
export step
`, `
sort node
mutable relation marked(node)
mutable constant leader: node
init !marked(X)
action step(n: node) {
  let y = leader;
  if !marked(n) { marked(y) := true; }
  leader := y;
  if marked(y) { marked(n) := false; }
}
`},
	{"methods", "", `#lang ivy1.8
object flag = {
    type this = {off, on}
    action flip(self:this) returns (r:this) = { r := on if self = off else off }
}
individual f : flag
individual g : flag
action get(other:bool) returns (x:flag) = { x := g if other else f }
action step(b:bool) = { f := get(b).flip }
action twice = { g := get(true).flip.flip; f := flag.flip(g) }
export step
export twice
`, `
enum flag { flag_off, flag_on }
mutable constant f: flag
mutable constant g: flag
action step(b: bool) { f := if (if b then g else f) = flag_off then flag_on else flag_off; }
action twice() { f := if g = flag_off then flag_on else flag_off; g := g; }
`},
}

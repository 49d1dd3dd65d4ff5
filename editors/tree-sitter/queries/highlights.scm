; What the words and names of a specification are, for Neovim, Helix and Zed. A later pattern wins
; in Neovim and Zed, an earlier one in Helix, so no two patterns are about one node.

(comment) @comment
(number) @number
(string) @string
(string) @string
(boolean) @boolean
(annotation) @attribute
(builtin_sort) @type.builtin
(sort) @type

[
  "sort" "enum" "type" "mutable" "immutable" "ghost" "relation" "constant" "function" "derived"
  "axiom" "init" "safety" "invariant" "trusted" "liveness" "temporal" "theorem" "zerostate"
  "onestate" "twostate" "definition" "action" "transition" "strong" "fair" "modifies" "instance"
  "expect" "include" "algorithm" "protocol" "about" "reduce" "rank" "sat" "unsat" "trace" "fbii" "forward" "backward"
  "prophecy" "message" "var" "timing" "network" "copies" "start" "sender" "starts"
  "timer" "clock" "disk" "faults" "forge" "role" "on" "step" "after"
] @keyword

[
  "require" "assume" "choose" "let" "in" "if" "then" "else" "assert" "any" "by" "send" "reply" "reset" "to" "all" "every" "from" "when" "steps" "rounds" "of"
  "receive" "compute" "at" "within" "count" "variable" "bound" "case" "pending" "await" "never" "states"
  "depth" "proph_select" "match" "for"
] @keyword.control

(proph_default) @keyword.control
(verdict) @constant.builtin
[
  "forall" "exists" "always" "eventually" "until" "distinct" "new" "div" "mod" "is" "subset" "with"
  "without" "union" "intersect" "minus"
] @keyword.operator
["~>" "<->" "->" "|" "&" "=" "!=" "~=" "<" "<=" ">" ">=" "+" "-" "*" "!" "~" ":="] @operator
(prime) @operator
[".." "." "," ";" ":"] @punctuation.delimiter
["(" ")" "[" "]" "{" "}"] @punctuation.bracket

(sort_declaration name: (identifier) @type)
(enum_declaration name: (identifier) @type member: (identifier) @constant)
(type_declaration name: (identifier) @type)
(collection_type name: (identifier) @type.builtin)
(constructor name: (identifier) @constant)
(pattern constructor: (identifier) @constant)
(is_expression constructor: (identifier) @constant)
(field) @property
(field_declaration name: (identifier) @property)
(field_value name: (identifier) @property)
(relation name: (identifier) @variable)
(constant name: (identifier) @constant)
(function name: (identifier) @function)
(definition name: (identifier) @function)
(action name: (identifier) @function)
(transition name: (identifier) @function)
(call name: (identifier) @function)
(variable name: (identifier) @variable.parameter)
(element name: (identifier) @variable.parameter)
(label name: (identifier) @label)
(task location: (identifier) @label)

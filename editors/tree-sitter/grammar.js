// The grammar of erelong's language for tree-sitter. docs/grammar.md is the reference; this grammar
// accepts all of its texts, and a few more: an editor colours what is half written, too.
//
// Words such as `action` are words only where they can begin something. tree-sitter's keyword
// extraction (`word`) has the same effect: elsewhere they are identifiers.

const PREC = {
  far: 0, // forall, exists, if, let: as far to the right as possible
  leads_to: 1,
  equivalence: 2,
  implication: 3,
  until: 4,
  disjunction: 5,
  conjunction: 6,
  comparison: 7,
  data: 8, // with, without, union, intersect, minus
  sum: 9,
  product: 10,
  unary: 11,
  label: 12,
};

const list = (rule) => seq(rule, repeat(seq(",", rule)));
const optionalList = (rule) => optional(list(rule));

// The rules of formulas whose last part may be any formula. The value of a let ends before the word
// `in`, which is an operator elsewhere: so each of these rules is there twice, and the second one has
// no operator `in`. Both make the same nodes.
const formulas = (beforeIn) => {
  const suffix = beforeIn ? "_before_in" : "";
  const name = (rule) => (beforeIn ? `_${rule}${suffix}` : rule);
  const formula = ($) => $[`_expression${suffix}`];
  const comparison = ["=", "!=", "~=", "<", "<=", ">", ">=", "subset"];
  if (!beforeIn) comparison.push("in");
  return {
    [name("quantified_expression")]: ($) =>
      prec.right(
        PREC.far,
        seq(choice("forall", "exists"), list($._binder), ".", field("body", formula($))),
      ),
    [name("conditional_expression")]: ($) =>
      prec.right(
        PREC.far,
        seq(
          "if", field("condition", $._expression),
          "then", field("then", $._expression),
          "else", field("else", formula($)),
        ),
      ),
    [name("let_expression")]: ($) =>
      prec.right(
        PREC.far,
        seq(
          "let", $.variable, "=", field("value", $._expression_before_in),
          "in", field("body", formula($)),
        ),
      ),
    [name("unary_expression")]: ($) =>
      prec(
        PREC.unary,
        seq(
          field("operator", choice("!", "~", "-", "always", "eventually")),
          field("operand", formula($)),
        ),
      ),
    [name("leading_operator")]: ($) =>
      choice(
        prec.left(PREC.conjunction, seq("&", formula($))),
        prec.left(PREC.disjunction, seq("|", formula($))),
      ),
    [name("is_expression")]: ($) =>
      prec.left(
        PREC.comparison,
        seq(field("value", formula($)), "is", field("constructor", $.identifier)),
      ),
    [name("binary_expression")]: ($) =>
      choice(
        ...[
          [prec.left, PREC.leads_to, "~>"],
          [prec.left, PREC.equivalence, "<->"],
          [prec.right, PREC.implication, "->"],
          [prec.left, PREC.until, "until"],
          [prec.left, PREC.disjunction, "|"],
          [prec.left, PREC.conjunction, "&"],
          [prec.left, PREC.comparison, choice(...comparison)],
          [prec.left, PREC.data, choice("with", "without", "union", "intersect", "minus")],
          [prec.left, PREC.sum, choice("+", "-")],
          [prec.left, PREC.product, "*"],
        ].map(([associate, precedence, operator]) =>
          associate(
            precedence,
            seq(
              field("left", formula($)),
              field("operator", operator),
              field("right", formula($)),
            ),
          ),
        ),
        prec.left(
          PREC.product,
          seq(
            field("left", formula($)),
            field("operator", choice("div", "mod")),
            field("right", $.number),
          ),
        ),
      ),
  };
};

// The rules of blocks: of an action, and of the program of a process, whose statements may send. Both
// make the same nodes.
const blocks = (program) => {
  const prefix = program ? "_program_" : "";
  const inner = (rule) => (program ? `_program_${rule}` : rule);
  const as = ($, rule) => (program ? alias($[inner(rule)], $[rule]) : $[rule]);
  const single = ($) =>
    program
      ? choice($._statement, $.send_statement, $.reply_statement, $.reset_statement)
      : $._statement;
  return {
    [inner("block")]: ($) =>
      seq(
        "{",
        repeat(choice(seq(single($), ";"), $[`_statement_with_block${prefix}`])),
        optional(single($)),
        "}",
      ),
    [`_statement_with_block${prefix}`]: ($) =>
      choice(
        as($, "if_statement"),
        as($, "match_statement"),
        alias($[`_choose_with_block${prefix}`], $.choose_statement),
      ),
    [inner("if_statement")]: ($) =>
      seq(
        "if",
        field("condition", $._expression),
        field("then", as($, "block")),
        optional(seq("else", field("else", choice(as($, "block"), as($, "if_statement"))))),
      ),
    [`_choose_with_block${prefix}`]: ($) =>
      seq(
        "choose",
        $._binder,
        optional(seq("with", field("condition", $._expression))),
        field("body", as($, "block")),
      ),
    [inner("match_statement")]: ($) =>
      seq(
        "match",
        field("value", $._matched),
        "{",
        repeat(alias($[`_arm_block${prefix}`], $.arm)),
        "}",
      ),
    [`_arm_block${prefix}`]: ($) => seq($.pattern, field("body", as($, "block"))),
  };
};

module.exports = grammar({
  name: "erelong",

  extras: ($) => [/[ \t\r\n\uFEFF]/, $.comment],

  word: ($) => $.identifier,

  supertypes: ($) => [$._declaration, $._statement, $._expression],

  rules: {
    source_file: ($) => repeat($._declaration),

    comment: (_) => token(seq("#", /[^\n]*/)),
    identifier: (_) => /[A-Za-z_][A-Za-z0-9_]*/,
    number: (_) => /[0-9]+/,
    string: (_) => /"[^"\\\n]*"/,
    annotation: ($) =>
      seq(/@[A-Za-z0-9_-]+/, optional(seq("(", list($.identifier), ")"))),

    _declaration: ($) =>
      choice(
        $.sort_declaration,
        $.enum_declaration,
        $.type_declaration,
        $.symbol_declaration,
        $.derived_declaration,
        $.claim,
        $.theorem,
        $.definition,
        $.action,
        $.transition,
        $.rank,
        $.trace,
        $.fbii,
        $.instance,
        $.expect,
        $.algorithm,
        $.protocol,
        $.about,
        $.reduce,
        $.include,
      ),

    // Declarations of names.
    sort_declaration: ($) =>
      seq("sort", list(seq(field("name", $.identifier), repeat($.annotation)))),
    enum_declaration: ($) =>
      seq("enum", field("name", $.identifier), "{", list(field("member", $.identifier)), "}"),
    type_declaration: ($) =>
      seq("type", field("name", $.identifier), "=", field("sort", choice($._sort, $.variant))),
    variant: ($) =>
      choice(
        seq("|", $.constructor),
        seq(optional("|"), $.constructor, repeat1(seq("|", $.constructor))),
        alias($._constructor_with_fields, $.constructor),
      ),
    constructor: ($) =>
      seq(field("name", $.identifier), optional(seq("(", list($.field_declaration), ")"))),
    _constructor_with_fields: ($) =>
      seq(field("name", $.identifier), "(", list($.field_declaration), ")"),
    field_declaration: ($) => seq(field("name", $.identifier), ":", field("sort", $._sort)),
    symbol_declaration: ($) =>
      seq(
        choice("mutable", "immutable", seq("ghost", optional("mutable"))),
        choice(
          seq("relation", list($.relation)),
          seq("constant", list($.constant)),
          seq("function", list($.function)),
        ),
      ),
    relation: ($) =>
      seq(field("name", $.identifier), optional($._arguments_of_relation), repeat($.annotation)),
    _arguments_of_relation: ($) => seq("(", optionalList(field("argument", $._sort)), ")"),
    constant: ($) =>
      seq(field("name", $.identifier), ":", field("sort", $._sort), repeat($.annotation)),
    function: ($) =>
      seq(
        field("name", $.identifier),
        "(", list(field("argument", $._sort)), ")",
        ":", field("sort", $._sort),
        repeat($.annotation),
      ),
    derived_declaration: ($) =>
      seq("derived", "relation", $.relation, ":", field("body", $._expression)),

    _sort: ($) =>
      choice(
        $.builtin_sort,
        alias($.identifier, $.sort),
        $.range,
        $.collection_type,
        $.record_type,
        $.tuple_type,
      ),
    // set[T], option[T], seq[T], seq[T, n], map[K, V]
    collection_type: ($) =>
      seq(
        field("name", $.identifier),
        "[", field("part", $._sort), optional(seq(",", field("part", choice($._sort, $._limit)))),
        "]",
      ),
    _limit: ($) =>
      choice(
        $.number,
        alias($._negative_bound, $.unary_expression),
        alias($._bound_in_parentheses, $.parenthesized_expression),
        alias($._binary_bound, $.binary_expression),
      ),
    record_type: ($) => seq("{", list($.field_declaration), "}"),
    tuple_type: ($) =>
      seq("(", field("part", $._sort), repeat1(seq(",", field("part", $._sort))), ")"),
    builtin_sort: (_) => choice("bool", "int"),
    range: ($) => seq(field("first", $._bound), "..", field("last", $._bound)),
    _bound: ($) =>
      choice(
        $.number,
        $.identifier,
        alias($._negative_bound, $.unary_expression),
        alias($._bound_in_parentheses, $.parenthesized_expression),
        alias($._binary_bound, $.binary_expression),
      ),
    _negative_bound: ($) => prec(PREC.unary, seq("-", $._bound)),
    _bound_in_parentheses: ($) => seq("(", $._bound, ")"),
    _binary_bound: ($) =>
      choice(
        prec.left(PREC.sum, seq($._bound, choice("+", "-"), $._bound)),
        prec.left(PREC.product, seq($._bound, "*", $._bound)),
      ),

    // Claims.
    label: ($) => prec(PREC.label, seq("[", field("name", $.identifier), "]")),
    claim: ($) =>
      seq(
        choice(
          "axiom", "init", "safety", "invariant", seq("trusted", "invariant"), "liveness", "temporal",
        ),
        optional($.label),
        field("formula", $._expression),
      ),
    theorem: ($) =>
      seq(
        optional(choice("zerostate", "onestate", "twostate")),
        "theorem",
        optional($.label),
        field("formula", $._expression),
      ),
    definition: ($) =>
      seq(
        optional(choice("zerostate", "onestate", "twostate")),
        "definition",
        field("name", $.identifier),
        $.parameters,
        optional(
          seq(
            ":",
            field("sort", $._sort),
            optional(seq("measure", "(", field("measure", $._expression), ")")),
            optional(seq("depth", field("depth", $.number))),
          ),
        ),
        choice(seq("=", field("formula", $._expression)), $._modifies),
      ),
    _modifies: ($) =>
      seq("modifies", list(field("modifies", $.identifier)), field("formula", $._expression)),
    parameters: ($) => seq("(", optionalList($._binder), ")"),
    variable: ($) =>
      seq(field("name", $.identifier), optional(seq(":", field("sort", $._sort)))),
    // The set ends before the word `with` of a choose.
    element: ($) =>
      prec(PREC.label, seq(field("name", $.identifier), "in", field("set", $._expression))),
    _binder: ($) => choice($.variable, $.element),

    // Steps.
    _fairness: (_) => seq(optional("strong"), "fair"),
    _fair_if: ($) => seq($._fairness, "if", field("fair_if", $._expression)),
    action: ($) =>
      seq(
        optional($._fairness),
        "action",
        field("name", $.identifier),
        $.parameters,
        optional($._fair_if),
        field("body", $.block),
      ),
    transition: ($) =>
      seq(
        optional($._fairness),
        "transition",
        field("name", $.identifier),
        $.parameters,
        optional($._fair_if),
        choice($._modifies, seq("=", field("formula", $._expression))),
      ),
    ...blocks(false),
    ...blocks(true),
    _statement: ($) =>
      choice($.require_statement, $.assignment, $.let_statement, $.choose_statement),
    require_statement: ($) =>
      seq(choice("require", "assume"), field("condition", $._expression)),
    assignment: ($) =>
      seq(field("left", $._target), ":=", field("right", choice($._expression, $.any))),
    _target: ($) =>
      choice(
        $.application,
        alias($._target_field, $.field_expression),
        alias($._target_index, $.index_expression),
      ),
    _target_field: ($) => seq(field("value", $._target), field("field", $.field)),
    _target_index: ($) => seq(field("value", $._target), $._index),
    any: (_) => "*",
    let_statement: ($) => seq("let", $.variable, "=", field("value", $._expression)),
    choose_statement: ($) =>
      seq("choose", $._binder, optional(seq("with", field("condition", $._expression)))),
    _matched: ($) =>
      choice($.application, $.field_expression, $.index_expression, $.binary_expression),
    pattern: ($) =>
      choice(
        seq(field("constructor", $.identifier), optional(seq("(", list($.variable), ")"))),
        $.string,
      ),

    // Expressions.
    _expression: ($) =>
      choice(
        $._value_expression,
        $.quantified_expression,
        $.conditional_expression,
        $.let_expression,
        $.unary_expression,
        $.leading_operator,
        $.is_expression,
        $.binary_expression,
      ),
    _expression_before_in: ($) =>
      choice(
        $._value_expression,
        alias($._quantified_expression_before_in, $.quantified_expression),
        alias($._conditional_expression_before_in, $.conditional_expression),
        alias($._let_expression_before_in, $.let_expression),
        alias($._unary_expression_before_in, $.unary_expression),
        alias($._leading_operator_before_in, $.leading_operator),
        alias($._is_expression_before_in, $.is_expression),
        alias($._binary_expression_before_in, $.binary_expression),
      ),
    ...formulas(false),
    ...formulas(true),
    // What fields and positions may follow.
    _value_expression: ($) =>
      choice(
        $.boolean,
        $.number,
        $.string,
        $.application,
        $.parenthesized_expression,
        $.distinct_expression,
        $.new_expression,
        $.safety,
        $.match_expression,
        $.field_expression,
        $.index_expression,
        $.record,
        $.tuple,
        $.set,
        $.comprehension,
        $.sequence,
        $.map,
      ),
    boolean: (_) => choice("true", "false"),
    application: ($) =>
      seq(field("name", $.identifier), repeat($.prime), optional($.arguments)),
    prime: (_) => "'",
    arguments: ($) =>
      seq("(", choice(optionalList($._expression), seq($._expression, $._each)), ")"),
    _each: ($) =>
      seq(
        "for", list($._binder),
        optional(seq("if", field("condition", $._expression))),
      ),
    safety: ($) => seq("safety", repeat($.prime)),
    parenthesized_expression: ($) => seq("(", $._expression, ")"),
    distinct_expression: ($) => seq("distinct", $.arguments),
    new_expression: ($) => seq("new", "(", $._expression, ")"),

    // Structured data. A field or position follows its value without a blank.
    field: (_) => token.immediate(/\.[A-Za-z0-9_]+/),
    field_expression: ($) =>
      seq(field("value", $._value_expression), field("field", $.field)),
    index_expression: ($) => seq(field("value", $._value_expression), $._index),
    _index: ($) => seq(token.immediate("["), field("index", $._expression), "]"),
    record: ($) => seq("{", list($.field_value), "}"),
    field_value: ($) =>
      seq(field("name", $.identifier), ":", field("value", $._expression)),
    tuple: ($) => seq("(", $._expression, repeat1(seq(",", $._expression)), ")"),
    set: ($) => seq("{", optionalList($._expression), "}"),
    comprehension: ($) =>
      seq(
        "{",
        field("element", $._expression),
        $._each,
        "}",
      ),
    sequence: ($) => seq("[", optionalList($._expression), "]"),
    map: ($) => seq("[", choice(":", list($.entry), seq($.entry, $._each)), "]"),
    entry: ($) => seq(field("key", $._expression), ":", field("value", $._expression)),
    match_expression: ($) =>
      seq(
        "match", field("value", $._matched),
        "{", optional(seq($.arm, repeat(seq(";", $.arm)), optional(";"))), "}",
      ),
    arm: ($) => seq($.pattern, "->", field("value", $._expression)),

    // Hints, traces, proofs by prophecy.
    rank: ($) => seq("rank", $.label, "{", repeat(seq($.hint, ";")), optional($.hint), "}"),
    hint: ($) =>
      choice(
        seq("choose", list($.variable), "with", $._expression),
        seq("count", $.parameters, "with", $._expression),
        seq(
          "await",
          optional($.parameters),
          field("action", $.identifier),
          "(", optionalList(field("argument", $._expression)), ")",
          optional(seq("with", $._expression)),
        ),
        seq(choice("variable", "bound", "case", "pending"), $._expression),
        seq(
          "never",
          field("action", $.identifier),
          "(", optionalList(field("argument", $.identifier)), ")",
          optional(seq("with", $._expression)),
        ),
      ),
    trace: ($) => seq(choice("sat", "unsat"), "trace", "{", repeat($._step), "}"),
    _step: ($) => choice($.assert_step, $.any_step, $.call_step),
    assert_step: ($) => seq("assert", choice("init", $._expression)),
    any_step: (_) => seq("any", "transition"),
    call_step: ($) => prec.left(seq($.call, repeat(seq("|", $.call)))),
    call: ($) =>
      seq(
        field("name", $.identifier),
        optional(seq("(", optionalList(choice($._expression, $.any)), ")")),
      ),
    fbii: ($) => seq("fbii", "{", repeat($.stage), "}"),
    stage: ($) =>
      seq(
        choice("forward", "backward"),
        optional($.label),
        optional(seq("prophecy", optionalList($.variable))),
        "{", repeat($.stage_invariant), "}",
        optional(seq("by", "{", repeat($._reason), "}")),
      ),
    stage_invariant: ($) => seq("invariant", optional($.label), field("formula", $._expression)),
    _reason: ($) => choice($.stage_invariant, $.proph_default, $.proph_select),
    proph_default: (_) => "proph_default",
    proph_select: ($) => seq("proph_select", $._expression),

    // Instances and expectations.
    instance: ($) =>
      seq(
        "instance",
        field("name", $.identifier),
        optional(seq("=", field("base", $.identifier), "with")),
        "{",
        optionalList($.instance_item),
        "}",
      ),
    instance_item: ($) =>
      seq(field("name", $.identifier), "=", field("value", choice($._value, $.table))),
    table: ($) => seq("{", optionalList($.row), "}"),
    row: ($) =>
      seq(choice($._value, seq("(", list($._value), ")")), optional(seq(":", $._value))),
    _value: ($) =>
      choice($.boolean, $.number, $.string, $.identifier, alias($._negative_number, $.unary_expression)),
    _negative_number: ($) => seq("-", $.number),
    expect: ($) =>
      seq(
        "expect",
        $.label,
        field("verdict", $.verdict),
        optional(seq("in", field("instance", $.identifier))),
        optional(seq("states", $.number)),
        optional(seq("depth", $.number)),
      ),
    verdict: (_) =>
      choice("holds", "violated", seq("not", "inductive"), "unknown", seq("nothing", "checked")),

    // Algorithms of processes.
    algorithm: ($) =>
      seq("algorithm", field("name", $.identifier), "{", repeat($._part), "}"),
    _part: ($) => choice($.messages, $.peer_variable, $.timing, $.network, $.start, $.task),
    messages: ($) => seq("message", list(field("name", $.identifier))),
    peer_variable: ($) =>
      seq(
        "var",
        field("name", $.identifier), ":", field("sort", $._sort),
        "=", field("value", $._expression),
      ),
    timing: ($) =>
      seq("timing", field("model", $.identifier), optional(seq("(", list($.identifier), ")"))),
    network: ($) => seq("network", "copies", "(", $.identifier, ")"),
    start: ($) => seq(choice("start", seq("sender", "starts")), field("location", $.identifier)),
    task: ($) =>
      seq(
        choice(seq("send", field("message", $.identifier)), "receive", "compute"),
        "at", field("location", $.identifier),
        optional(seq("then", field("next", $.identifier))),
        field("body", $.block),
      ),
    // Protocols under a model of time.
    protocol: ($) =>
      seq(
        "protocol",
        field("name", $.identifier),
        optional(seq("on", field("below", $.identifier))),
        "{",
        repeat(
          choice(
            seq("message", list($.message)),
            $.timing,
            $.faults,
            $.forge,
            alias($._reliability, $.network),
            $.role,
            $._role_part,
          ),
        ),
        "}",
      ),
    message: ($) =>
      seq(
        field("name", $.identifier),
        optional(seq("(", list(seq($.identifier, ":", $._sort)), ")")),
        optional(seq("from", $.identifier, "to", $.identifier)),
      ),
    faults: ($) => seq("faults", $.identifier, optional(seq("(", $._expression, ")"))),
    forge: ($) =>
      seq(
        "forge",
        field("message", $.identifier),
        optional(seq("(", list($.variable), ")")),
        optional(seq("from", $.variable)),
        optional(seq("to", $.variable)),
        "when",
        field("condition", $._expression),
      ),
    _reliability: ($) => seq("network", $.identifier, optional(seq("(", $._expression, ")"))),
    role: ($) => seq("role", field("name", $.identifier), "{", repeat($._role_part), "}"),
    _role_part: ($) => choice($.state_variable, $.handler, $.step),
    state_variable: ($) =>
      seq(
        choice("var", "disk", "timer", "clock"),
        field("name", $.identifier),
        optional(seq("(", list($._sort), ")")),
        ":", field("sort", $._sort),
        optional(seq("=", field("value", $._expression))),
      ),
    handler: ($) =>
      seq(
        "on",
        field("message", $.identifier),
        optional(seq("(", list($.variable), ")")),
        optional(seq("from", $.variable)),
        field("body", alias($._program_block, $.block)),
      ),
    step: ($) =>
      seq(
        choice(
          "step",
          seq("after", $._expression, choice("steps", "step", "rounds", "round"), "of", $.application),
        ),
        optional(seq("when", field("condition", $._expression))),
        field("body", alias($._program_block, $.block)),
      ),
    send_statement: ($) =>
      seq(
        "send",
        field("message", $.application),
        "to",
        choice(
          "all",
          seq("every", $.variable, optional(seq("with", field("condition", $._expression)))),
          field("receiver", $._expression),
        ),
      ),
    reply_statement: ($) => seq("reply", field("message", $.application)),
    reset_statement: ($) => seq("reset", field("timer", $.application)),
    about: ($) => seq("about", field("system", $.identifier), "{", repeat($._declaration), "}"),
    include: ($) => seq("include", field("file", $.string)),
    reduce: ($) =>
      seq(
        "reduce",
        $.label,
        choice(
          seq("within", $._expression),
          seq("by", field("variable", $.identifier), "until", $._expression),
        ),
      ),
  },
});

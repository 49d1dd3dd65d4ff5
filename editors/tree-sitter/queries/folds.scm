[
  (block)
  (match_statement)
  (match_expression)
  (enum_declaration)
  (instance)
  (rank)
  (trace)
  (fbii)
  (algorithm)
  (protocol)
  (role)
  (about)
] @fold

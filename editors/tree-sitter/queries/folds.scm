[
  (block)
  (enum_declaration)
  (instance)
  (rank)
  (trace)
  (fbii)
  (algorithm)
  (about)
] @fold

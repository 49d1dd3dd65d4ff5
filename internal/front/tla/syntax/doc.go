// Package syntax reads TLA+ modules and configurations of TLC.
//
// In: the text of a file. Out: the trees of its modules, or of its configuration, or a diagnostic
// with its place. What is accepted is what SANY accepts, the parser of TLC; proofs are read over.
//
// The tokens are split here and not by a parse.Lexicon: a file has text around its modules,
// comments are nested, and the column of a token decides which list of bullets it belongs to. The
// columns are kept by the margin of the cursor (parse.Cursor): while an item of a list is read, a
// token that is not right of the bullets is not seen.
package syntax

// Package docs has the pages for users. They are part of the program: erelong help TOPIC prints
// one.
package docs

import "embed"

// Pages are the pages, in Markdown.
//
//go:embed *.md
var Pages embed.FS

package tree_sitter_erelong_test

import (
	"testing"

	tree_sitter "github.com/smacker/go-tree-sitter"
	"github.com/tree-sitter/tree-sitter-erelong"
)

func TestCanLoadGrammar(t *testing.T) {
	language := tree_sitter.NewLanguage(tree_sitter_erelong.Language())
	if language == nil {
		t.Errorf("Error loading Erelong grammar")
	}
}

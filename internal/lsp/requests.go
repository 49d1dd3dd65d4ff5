package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"
)

// request finds out what a request asks, about the version of the document that is the newest when
// it is read. The answer may be computed later.
func (s *server) request(method string, params json.RawMessage) (answer, error) {
	if read, ok := documentRequests[method]; ok {
		p, err := decode[documentParams](params)
		if err != nil {
			return nil, err
		}
		snap := s.snapshotOf(p.TextDocument.URI)
		if snap == nil {
			return nil, fmt.Errorf("%s is not open", p.TextDocument.URI)
		}
		f, err := read(s, params)
		if err != nil {
			return nil, err
		}
		return func(context.Context) (any, error) {
			a, err := snap.analyse()
			if err != nil {
				return nil, err
			}
			return f(a)
		}, nil
	}
	switch method {
	case "initialize":
		p, err := decode[initializeParams](params)
		if err != nil {
			return nil, err
		}
		return s.initialize(p), nil
	case "shutdown":
		s.mu.Lock()
		s.down = true
		s.mu.Unlock()
		return func(context.Context) (any, error) { return nil, nil }, nil
	case "workspace/symbol":
		p, err := decode[struct {
			Query string `json:"query"`
		}](params)
		return func(context.Context) (any, error) { return s.workspaceSymbols(p.Query), nil }, err
	case "workspace/executeCommand":
		p, err := decode[executeParams](params)
		if err != nil {
			return nil, err
		}
		return s.execute(p)
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound,
		Message: "erelong does not serve " + method}
}

// documentRequest reads the parameters of a request about a document.
type documentRequest func(s *server, params json.RawMessage) (func(*analysis) (any, error), error)

// about is a request with parameters of type P.
func about[P any](f func(s *server, a *analysis, p P) (any, error)) documentRequest {
	return func(s *server, params json.RawMessage) (func(*analysis) (any, error), error) {
		p, err := decode[P](params)
		return func(a *analysis) (any, error) { return f(s, a, p) }, err
	}
}

// simple is a request that depends on nothing but the analysis.
func simple[P, R any](f func(a *analysis, p P) R) documentRequest {
	return about(func(_ *server, a *analysis, p P) (any, error) { return f(a, p), nil })
}

var documentRequests = map[string]documentRequest{
	"textDocument/hover":               about((*server).hover),
	"textDocument/definition":          simple((*analysis).definition),
	"textDocument/references":          simple((*analysis).references),
	"textDocument/documentHighlight":   simple((*analysis).highlights),
	"textDocument/documentSymbol":      simple((*analysis).symbols),
	"textDocument/prepareRename":       about((*server).prepareRename),
	"textDocument/rename":              about((*server).rename),
	"textDocument/completion":          about((*server).completion),
	"textDocument/signatureHelp":       simple((*analysis).signature),
	"textDocument/formatting":          about((*server).formatting),
	"textDocument/foldingRange":        simple((*analysis).folding),
	"textDocument/selectionRange":      simple((*analysis).selection),
	"textDocument/semanticTokens/full": simple((*analysis).semantic),
	"textDocument/inlayHint":           simple((*analysis).inlay),
	"textDocument/codeAction":          about((*server).actions),
	"textDocument/codeLens":            about((*server).lenses),
}

func (s *server) initialize(p initializeParams) answer {
	s.mu.Lock()
	s.client = p
	if p.InitializationOptions != nil {
		s.settings = *p.InitializationOptions
	}
	s.mu.Unlock()
	return func(context.Context) (any, error) {
		return initializeResult{
			ServerInfo: serverInfo{"erelong", s.Version},
			Capabilities: serverCapabilities{
				PositionEncoding: "utf-16", TextDocumentSync: syncOptions{OpenClose: true,
					Change: 2},
				HoverProvider: true, CompletionProvider: triggers{},
				SignatureHelpProvider: triggers{[]string{"(", ","}},
				DefinitionProvider:    true, ReferencesProvider: true,
				DocumentHighlightProvider: true,
				DocumentSymbolProvider:    true, WorkspaceSymbolProvider: true,
				CodeActionProvider:         codeActionKinds{[]string{"quickfix", "source"}},
				DocumentFormattingProvider: true,
				RenameProvider:             renameOptions{PrepareProvider: true},
				FoldingRangeProvider:       true,
				SelectionRangeProvider:     true,
				SemanticTokensProvider: semanticProvider{Legend: semanticLegend{tokenTypes,
					tokenModifiers}, Full: true},
				InlayHintProvider: true, ExecuteCommandProvider: commandProvider{commands},
			},
		}, nil
	}
}

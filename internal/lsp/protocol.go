package lsp

import "encoding/json"

// The messages of the Language Server Protocol (3.17) that the server reads and writes, with the
// fields that it uses. Names are the protocol's own.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"` // in UTF-16 code units
	}
	textRange struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string    `json:"uri"`
		Range textRange `json:"range"`
	}
	textEdit struct {
		Range   textRange `json:"range"`
		NewText string    `json:"newText"`
	}
	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	command struct {
		Title     string `json:"title"`
		Command   string `json:"command"`
		Arguments []any  `json:"arguments,omitempty"`
	}

	textDocument struct {
		URI string `json:"uri"`
	}
	documentParams struct {
		TextDocument textDocument `json:"textDocument"`
	}
	positionParams struct {
		TextDocument textDocument `json:"textDocument"`
		Position     position     `json:"position"`
	}
	rangeParams struct {
		TextDocument textDocument `json:"textDocument"`
		Range        textRange    `json:"range"`
	}

	initializeParams struct {
		InitializationOptions *settings `json:"initializationOptions"`
		Capabilities          struct {
			Window struct {
				WorkDoneProgress bool `json:"workDoneProgress"`
				ShowDocument     struct {
					Support bool `json:"support"`
				} `json:"showDocument"`
			} `json:"window"`
			Workspace struct {
				CodeLens struct {
					RefreshSupport bool `json:"refreshSupport"`
				} `json:"codeLens"`
			} `json:"workspace"`
			TextDocument struct {
				Completion struct {
					CompletionItem struct {
						SnippetSupport bool `json:"snippetSupport"`
					} `json:"completionItem"`
				} `json:"completion"`
			} `json:"textDocument"`
		} `json:"capabilities"`
	}
	// settings are the options that a client may give at the start.
	settings struct {
		VerifyOnSave *bool `json:"verifyOnSave"` // default true
		// TimeLimit ends the work on a property after this number of seconds; 0 for the default.
		TimeLimit int `json:"timeLimit"`
	}
	initializeResult struct {
		Capabilities serverCapabilities `json:"capabilities"`
		ServerInfo   serverInfo         `json:"serverInfo"`
	}
	serverInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	serverCapabilities struct {
		PositionEncoding           string           `json:"positionEncoding"`
		TextDocumentSync           syncOptions      `json:"textDocumentSync"`
		HoverProvider              bool             `json:"hoverProvider"`
		CompletionProvider         triggers         `json:"completionProvider"`
		SignatureHelpProvider      triggers         `json:"signatureHelpProvider"`
		DefinitionProvider         bool             `json:"definitionProvider"`
		ReferencesProvider         bool             `json:"referencesProvider"`
		DocumentHighlightProvider  bool             `json:"documentHighlightProvider"`
		DocumentSymbolProvider     bool             `json:"documentSymbolProvider"`
		WorkspaceSymbolProvider    bool             `json:"workspaceSymbolProvider"`
		CodeActionProvider         codeActionKinds  `json:"codeActionProvider"`
		CodeLensProvider           struct{}         `json:"codeLensProvider"`
		DocumentFormattingProvider bool             `json:"documentFormattingProvider"`
		RenameProvider             renameOptions    `json:"renameProvider"`
		FoldingRangeProvider       bool             `json:"foldingRangeProvider"`
		SelectionRangeProvider     bool             `json:"selectionRangeProvider"`
		SemanticTokensProvider     semanticProvider `json:"semanticTokensProvider"`
		InlayHintProvider          bool             `json:"inlayHintProvider"`
		ExecuteCommandProvider     commandProvider  `json:"executeCommandProvider"`
	}
	syncOptions struct {
		OpenClose bool        `json:"openClose"`
		Change    int         `json:"change"` // 2: increments
		Save      saveOptions `json:"save"`
	}
	saveOptions struct {
		IncludeText bool `json:"includeText"`
	}
	triggers struct {
		TriggerCharacters []string `json:"triggerCharacters,omitempty"`
	}
	codeActionKinds struct {
		CodeActionKinds []string `json:"codeActionKinds"`
	}
	renameOptions struct {
		PrepareProvider bool `json:"prepareProvider"`
	}
	semanticProvider struct {
		Legend semanticLegend `json:"legend"`
		Full   bool           `json:"full"`
		Range  bool           `json:"range"`
	}
	semanticLegend struct {
		TokenTypes     []string `json:"tokenTypes"`
		TokenModifiers []string `json:"tokenModifiers"`
	}
	commandProvider struct {
		Commands []string `json:"commands"`
	}

	didOpenParams struct {
		TextDocument struct {
			URI        string `json:"uri"`
			LanguageID string `json:"languageId"`
			Version    int    `json:"version"`
			Text       string `json:"text"`
		} `json:"textDocument"`
	}
	didChangeParams struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version int    `json:"version"`
		} `json:"textDocument"`
		ContentChanges []contentChange `json:"contentChanges"`
	}
	contentChange struct {
		Range *textRange `json:"range"` // nil for the whole text
		Text  string     `json:"text"`
	}
	executeParams struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}

	diagnostic struct {
		Range    textRange `json:"range"`
		Severity int       `json:"severity"`
		Code     string    `json:"code,omitempty"`
		Source   string    `json:"source"`
		Message  string    `json:"message"`
		Tags     []int     `json:"tags,omitempty"`
		Related  []related `json:"relatedInformation,omitempty"`
	}
	related struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}
	publishParams struct {
		URI         string       `json:"uri"`
		Version     int          `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}

	hover struct {
		Contents markup     `json:"contents"`
		Range    *textRange `json:"range,omitempty"`
	}
	highlight struct {
		Range textRange `json:"range"`
		Kind  int       `json:"kind"`
	}
	documentSymbol struct {
		Name           string           `json:"name"`
		Detail         string           `json:"detail,omitempty"`
		Kind           int              `json:"kind"`
		Range          textRange        `json:"range"`
		SelectionRange textRange        `json:"selectionRange"`
		Children       []documentSymbol `json:"children,omitempty"`
	}
	symbolInformation struct {
		Name     string   `json:"name"`
		Kind     int      `json:"kind"`
		Location location `json:"location"`
	}
	referenceParams struct {
		positionParams
		Context struct {
			IncludeDeclaration bool `json:"includeDeclaration"`
		} `json:"context"`
	}
	renameParams struct {
		positionParams
		NewName string `json:"newName"`
	}
	prepareRename struct {
		Range       textRange `json:"range"`
		Placeholder string    `json:"placeholder"`
	}
	completionItem struct {
		Label            string  `json:"label"`
		Kind             int     `json:"kind"`
		Detail           string  `json:"detail,omitempty"`
		Documentation    *markup `json:"documentation,omitempty"`
		InsertText       string  `json:"insertText,omitempty"`
		InsertTextFormat int     `json:"insertTextFormat,omitempty"` // 2: snippet
		SortText         string  `json:"sortText,omitempty"`
	}
	signatureHelp struct {
		Signatures      []signature `json:"signatures"`
		ActiveSignature int         `json:"activeSignature"`
		ActiveParameter int         `json:"activeParameter"`
	}
	signature struct {
		Label         string      `json:"label"`
		Documentation *markup     `json:"documentation,omitempty"`
		Parameters    []parameter `json:"parameters"`
	}
	parameter struct {
		Label string `json:"label"`
	}
	foldingRange struct {
		StartLine int    `json:"startLine"`
		EndLine   int    `json:"endLine"`
		Kind      string `json:"kind,omitempty"`
	}
	selectionParams struct {
		TextDocument textDocument `json:"textDocument"`
		Positions    []position   `json:"positions"`
	}
	selectionRange struct {
		Range  textRange       `json:"range"`
		Parent *selectionRange `json:"parent,omitempty"`
	}
	semanticTokens struct {
		Data []uint32 `json:"data"`
	}
	inlayHint struct {
		Position     position `json:"position"`
		Label        string   `json:"label"`
		Kind         int      `json:"kind,omitempty"` // 1: type, 2: parameter
		PaddingLeft  bool     `json:"paddingLeft,omitempty"`
		PaddingRight bool     `json:"paddingRight,omitempty"`
	}
	codeLens struct {
		Range   textRange `json:"range"`
		Command *command  `json:"command,omitempty"`
	}
	codeActionParams struct {
		TextDocument textDocument `json:"textDocument"`
		Range        textRange    `json:"range"`
		Context      struct {
			Only []string `json:"only"`
		} `json:"context"`
	}
	codeAction struct {
		Title       string         `json:"title"`
		Kind        string         `json:"kind"`
		Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
		IsPreferred bool           `json:"isPreferred,omitempty"`
		Edit        *workspaceEdit `json:"edit,omitempty"`
		Command     *command       `json:"command,omitempty"`
	}

	progressCreate struct {
		Token string `json:"token"`
	}
	progressParams struct {
		Token string       `json:"token"`
		Value workProgress `json:"value"`
	}
	workProgress struct {
		Kind        string `json:"kind"` // begin, report, end
		Title       string `json:"title,omitempty"`
		Message     string `json:"message,omitempty"`
		Cancellable bool   `json:"cancellable,omitempty"`
	}
	cancelProgress struct {
		Token any `json:"token"`
	}
	showDocument struct {
		URI      string `json:"uri"`
		External bool   `json:"external"`
	}
	showMessage struct {
		Type    int    `json:"type"` // 1: error, 2: warning, 3: information
		Message string `json:"message"`
	}

	// statusParams are the message erelong/status, an extension of the protocol: the state of each
	// property of a version of a document.
	statusParams struct {
		URI        string           `json:"uri"`
		Version    int              `json:"version"`
		Properties []propertyStatus `json:"properties"`
	}
	propertyStatus struct {
		Name    string    `json:"name"`
		Kind    string    `json:"kind"`
		Range   textRange `json:"range"`
		State   string    `json:"state"`
		Detail  string    `json:"detail,omitempty"`
		Seconds float64   `json:"seconds,omitempty"`
		Trace   string    `json:"trace,omitempty"` // a counterexample, as text
	}
)

// Numbers of the protocol.
const (
	severityError       = 1
	severityWarning     = 2
	severityInformation = 3

	tagUnnecessary = 1

	highlightText, highlightRead, highlightWrite = 1, 2, 3

	symbolNamespace, symbolClass, symbolMethod, symbolProperty, symbolField = 3, 5, 6, 7, 8
	symbolEnum, symbolFunction, symbolVariable, symbolConstant              = 10, 12, 13, 14
	symbolBoolean, symbolObject, symbolEnumMember, symbolEvent              = 17, 19, 22, 24
	symbolTypeParameter                                                     = 26

	completeFunction, completeVariable, completeClass, completeEnum, completeKeyword = 3, 6, 7, 13,
		14
	completeField, completeSnippet, completeEnumMember, completeConstant, completeEvent = 5, 15,
		20, 21, 23
	snippetFormat = 2

	hintType, hintParameter = 1, 2
)

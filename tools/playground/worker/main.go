//go:build js && wasm

// Command worker is the program of the playground: package explorer in a web worker, with files in
// memory. It explores, simulates, lays out and checks; there is no solver, so it proves nothing.
//
// In: messages {id, word, body} of the page; the word write sets the text of a file. Out: messages
// {id, answer} or {id, problem}, and {run, event} while engines are at work.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"syscall/js"

	"erelong.dev/erelong/internal/explorer"
	"erelong.dev/erelong/internal/verify"
)

// maxStates bounds an exploration, so that a page stays responsive.
const maxStates = 100_000

type worker struct {
	files   map[string]string
	service *explorer.Service
}

func main() {
	w := &worker{files: map[string]string{}}
	w.service = explorer.New(explorer.Options{
		Version: "playground", NoSolver: true, Names: w.names, Read: w.read,
		Configure: func(o *verify.Options) { o.Explicit.Limits.States = maxStates },
	})
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		data := args[0].Get("data")
		id, word, body := data.Get("id").Int(), data.Get("word").String(), data.Get("body").String()
		go w.answer(id, word, body)
		return nil
	}))
	post(map[string]any{"ready": true})
	select {}
}

func (w *worker) names() ([]string, error) { return slices.Sorted(maps.Keys(w.files)), nil }

func (w *worker) read(file string) (name, text string, err error) {
	text, ok := w.files[file]
	if !ok {
		return "", "", fmt.Errorf("there is no file %q: %w", file, fs.ErrNotExist)
	}
	return file, text, nil
}

// post sends a message to the page, as JSON.
func post(message map[string]any) {
	b, err := json.Marshal(message)
	if err != nil {
		b, _ = json.Marshal(map[string]any{"problem": explorer.ProblemOf(err)})
	}
	js.Global().Call("postMessage", string(b))
}

func (w *worker) answer(id int, word, body string) {
	ctx := context.Background()
	var answer any
	var err error
	switch word {
	case "write":
		var q struct{ File, Text string }
		if err = json.Unmarshal([]byte(body), &q); err == nil {
			w.files[q.File] = q.Text
		}
	case "follow":
		var q struct{ Run int }
		if err = json.Unmarshal([]byte(body), &q); err == nil {
			err = w.service.Follow(ctx, q.Run, func(e explorer.Event) error {
				post(map[string]any{"run": q.Run, "event": e})
				return nil
			})
		}
	default:
		answer, err = w.service.Answer(ctx, word, []byte(body))
	}
	if err != nil {
		post(map[string]any{"id": id, "problem": explorer.ProblemOf(err)})
		return
	}
	post(map[string]any{"id": id, "answer": answer})
}

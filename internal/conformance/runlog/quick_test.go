package runlog

import (
	"math/rand"
	"reflect"
	"testing"
)

// A line that is read quickly is read as by the decoder, and lines as programs write them are.
func TestQuickAgainstDecode(t *testing.T) {
	const text = `{"node":"n1", "seq":30,"t":[5,-7] ,"event":"sé","args":{"x":1,"y":null},` +
		`"obs":{"y":true,"z":false,"w":{},"v":[]}}`
	r := rand.New(rand.NewSource(1))
	quick, reader := 0, new(quick)
	for i := range 20_000 {
		b := []byte(text)
		for range i % 3 {
			at := r.Intn(len(b))
			switch r.Intn(3) {
			case 0:
				b[at] = "{}[]\",:\\0x-1.e9 \n\xfftn"[r.Intn(20)]
			case 1:
				b = append(b[:at:at], b[at+1:]...)
			default:
				from := r.Intn(len(text))
				part := text[from:min(from+20, len(text))]
				b = append(b[:at:at], append([]byte(part), b[at:]...)...)
			}
		}
		got, ok := reader.quickly(string(b))
		want, err := line{number: 1, text: b}.decode()
		if !ok {
			continue
		}
		if quick++; err != nil || !reflect.DeepEqual(NewObject(got...), want) {
			t.Fatalf("%s\nquickly: %v\ndecoded: %v, %v", b, got, want, err)
		}
	}
	if quick < 7000 {
		t.Errorf("only %d lines were read quickly", quick)
	}
}

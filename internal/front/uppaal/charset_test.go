package uppaal_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/uppaal"
)

// TestEncodings reads a file with a letter beyond ASCII in a comment, in the encodings that it may
// declare.
func TestEncodings(t *testing.T) {
	const model = `<?xml version="1.0" encoding="ENCODING"?>
<nta><declaration>// caf` + "\xe9" + `
int v = 1;</declaration>
<template><name>P</name><location id="id0"><name>a</name></location><init ref="id0"/></template>
<system>system P;</system>
<queries><query><formula>E&lt;&gt; v == 2</formula></query>
<query><formula>A[] w == 1</formula></query></queries></nta>`
	for encoding, why := range map[string]string{
		"iso-8859-1": "", "ISO-8859-1": "", "latin1": "",
		"utf-8": "not UTF-8", "us-ascii": "not UTF-8", "windows-1252": "not UTF-8",
	} {
		n, err := uppaal.Read("m.xml", strings.Replace(model, "ENCODING", encoding, 1), "m.q", "")
		if why != "" {
			if err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v", encoding, err)
			}
			continue
		}
		if err != nil || len(n.Queries) != 2 {
			t.Fatalf("%s: %v", encoding, err)
		}
	}
	ascii := strings.Replace(model, "\xe9", "e", 1)
	if _, err := uppaal.Read("m.xml", strings.Replace(ascii, "ENCODING", "us-ascii", 1), "m.q",
		""); err != nil {
		t.Error(err)
	}
	_, err := uppaal.Read("m.xml", strings.Replace(ascii, "ENCODING", "utf-16", 1), "m.q", "")
	if err == nil || !strings.Contains(err.Error(), "encoding utf-16 is not read") {
		t.Error(err)
	}
}

// Command cmd recovers the register of a folder and raises it again and again, until it is killed.
package main

import (
	"flag"
	"fmt"
	"os"

	"erelong.dev/erelong/examples/real/durable"
)

func main() {
	folder := flag.String("dir", ".", "the folder of the register and of its log")
	bug := flag.Bool("skip-sync", false, "acknowledge before the value is on the disk")
	flag.Parse()
	if err := run(*folder, *bug); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string, bug bool) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	s, err := durable.Open(folder)
	if err != nil {
		return err
	}
	s.SkipSync = bug
	for v := s.Last() + 1; ; v++ {
		if err := s.Put(v); err != nil {
			return err
		}
		fmt.Println(v) // who runs it kills it after some of these
	}
}

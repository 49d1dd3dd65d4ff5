// Command rewrite says specifications in other words.
//
// In: a file, and the names of rewrites. Out: the text, rewritten, on the standard output. It
// has the same verdicts as the file. -list names the rewrites; -seed decides what is rewritten:
// an even number rewrites all that there is, an odd one a part of it.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/rewrite"
)

var all = slices.Concat(rewrite.All, rewrite.Data)

func main() {
	by := flag.String("by", "", "the rewrites, in their order, separated by commas")
	seed := flag.Int64("seed", 0, "what is rewritten, and how")
	list := flag.Bool("list", false, "name the rewrites")
	flag.Parse()
	if *list {
		for _, r := range all {
			fmt.Println(r.Name)
		}
		return
	}
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: rewrite -by NAME,... FILE")
		os.Exit(2)
	}
	text, err := rewritten(flag.Arg(0), strings.Split(*by, ","), *seed)
	if err != nil {
		fmt.Fprintln(os.Stderr, "rewrite:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}

func rewritten(path string, by []string, seed int64) (string, error) {
	read, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text := string(read)
	for _, name := range by {
		i := slices.IndexFunc(all, func(r rewrite.Rewrite) bool { return r.Name == name })
		if i < 0 {
			return "", fmt.Errorf("there is no rewrite %q; -list names them", name)
		}
		if text, err = all[i].Apply(path, text, seed); err != nil {
			return "", err
		}
	}
	return text, nil
}

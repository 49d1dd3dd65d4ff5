package diag

// Closest gives the candidate that is most similar to a misspelt name, or "" when none is similar
// enough: at most a third of the letters may differ. Among equally similar ones it takes the first
// in alphabetical order.
func Closest(name string, candidates []string) string {
	best, distance := "", len(name)/3+1
	for _, c := range candidates {
		if c == name {
			continue
		}
		if d := Distance(name, c); d < distance || d == distance && best != "" && c < best {
			best, distance = c, d
		}
	}
	return best
}

// Distance counts insertions, deletions, replacements and swaps of neighbours (restricted
// Damerau-Levenshtein).
func Distance(a, b string) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}

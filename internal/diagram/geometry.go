package diagram

import "math"

func abs(x float64) float64      { return math.Abs(x) }
func hypot(x, y float64) float64 { return math.Hypot(x, y) }

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

func btof(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

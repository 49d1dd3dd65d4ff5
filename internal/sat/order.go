package sat

// order is a heap of variables, the most active first.
type order struct {
	activity []float64
	heap     []int
	place    []int // by variable, -1 outside the heap
	step     float64
}

func (o *order) add(v int) {
	if o.step == 0 {
		o.step = 1
	}
	o.activity = append(o.activity, 0)
	o.place = append(o.place, -1)
	o.insert(v)
}

func (o *order) before(a, b int) bool {
	return o.activity[a] > o.activity[b] || o.activity[a] == o.activity[b] && a < b
}

func (o *order) insert(v int) {
	if o.place[v] >= 0 {
		return
	}
	o.place[v] = len(o.heap)
	o.heap = append(o.heap, v)
	o.up(o.place[v])
}

// next removes the first variable, -1 if there is none.
func (o *order) next() int {
	if len(o.heap) == 0 {
		return -1
	}
	v, last := o.heap[0], o.heap[len(o.heap)-1]
	o.heap = o.heap[:len(o.heap)-1]
	o.place[v] = -1
	if v != last {
		o.heap[0], o.place[last] = last, 0
		o.down(0)
	}
	return v
}

func (o *order) bump(v int) {
	if o.activity[v] += o.step; o.activity[v] > 1e100 {
		for i := range o.activity {
			o.activity[i] *= 1e-100
		}
		o.step *= 1e-100
	}
	if o.place[v] >= 0 {
		o.up(o.place[v])
	}
}

func (o *order) decay() { o.step /= 0.95 }

func (o *order) up(i int) {
	v := o.heap[i]
	for i > 0 && o.before(v, o.heap[(i-1)/2]) {
		o.set(i, o.heap[(i-1)/2])
		i = (i - 1) / 2
	}
	o.set(i, v)
}

func (o *order) down(i int) {
	v := o.heap[i]
	for 2*i+1 < len(o.heap) {
		c := 2*i + 1
		if c+1 < len(o.heap) && o.before(o.heap[c+1], o.heap[c]) {
			c++
		}
		if !o.before(o.heap[c], v) {
			break
		}
		o.set(i, o.heap[c])
		i = c
	}
	o.set(i, v)
}

func (o *order) set(i, v int) { o.heap[i], o.place[v] = v, i }

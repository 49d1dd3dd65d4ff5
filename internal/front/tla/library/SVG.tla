---- MODULE SVG ----
\* Drawings of states. A drawing is a record that says what an element of SVG is: its name, its
\* attributes, the elements in it, and its text.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL INSTANCE Erelong

LOCAL Refused(name) == Assert(FALSE, name \o " is not supported")

SVGElem(_name, _attrs, _children, _innerText) ==
  [name |-> _name, attrs |-> _attrs, children |-> _children, innerText |-> _innerText]

\* The attributes that an element has by itself win over others.
Line(x1, y1, x2, y2, attrs) ==
  SVGElem("line", [x1 |-> ToString(x1), y1 |-> ToString(y1), x2 |-> ToString(x2),
                   y2 |-> ToString(y2)] @@ attrs, <<>>, "")
Circle(cx, cy, r, attrs) ==
  SVGElem("circle", [cx |-> ToString(cx), cy |-> ToString(cy), r |-> ToString(r)] @@ attrs,
          <<>>, "")
Rect(x, y, w, h, attrs) ==
  SVGElem("rect", [x |-> ToString(x), y |-> ToString(y), width |-> ToString(w),
                   height |-> ToString(h)] @@ attrs, <<>>, "")
Text(x, y, text, attrs) ==
  SVGElem("text", [x |-> ToString(x), y |-> ToString(y)] @@ attrs, <<>>, text)
Image(x, y, width, height, href, attrs) ==
  SVGElem("image", "xlink:href" :> href @@ [x |-> ToString(x), y |-> ToString(y),
          width |-> ToString(width), height |-> ToString(height)] @@ attrs, <<>>, "")
Group(children, attrs) == SVGElem("g", attrs, children, "")
Svg(children, attrs) == SVGElem("svg", attrs, children, "")

\* A whole drawing: what is in it is one element, and its view box has a corner and a size.
SVGDoc(children, vbX, vbY, vbW, vbH, attrs) ==
  LET box == ToString(vbX) \o " " \o ToString(vbY) \o " " \o ToString(vbW) \o " " \o ToString(vbH)
  IN Svg(<<children>>, "viewBox" :> box @@ "xmlns" :> "http://www.w3.org/2000/svg" @@
         "xmlns:xlink" :> "http://www.w3.org/1999/xlink" @@ attrs)

\* The text of a drawing. TLC has the attributes of an element in another order.
RECURSIVE SVGElemToString(_)
SVGElemToString(elem) ==
  LET attribute(text, k) == text \o " " \o k \o "='" \o elem.attrs[k] \o "'"
      inner(text, e) == text \o SVGElemToString(e)
  IN "<" \o elem.name \o FoldLeft(attribute, "", Listed(DOMAIN elem.attrs)) \o ">" \o
     FoldLeft(inner, "", elem.children) \o elem.innerText \o "</" \o elem.name \o ">"

\* A point of a circle: the n-th of m that have equal distances.
NodeOfRingNetwork(cx, cy, r, n, m) ==
  LET p == RingPoint(<<cx, cy, r, n, m>>) IN [x |-> p[1], y |-> p[2]]
PointOnLine(from, to, segment) ==
  LET part(a, b) ==
        LET s == a * segment + b - a \* rounded towards 0, as TLC does it
        IN IF s >= 0 THEN s \div segment ELSE -((-s) \div segment)
  IN [x |-> part(from.x, to.x), y |-> part(from.y, to.y)]
NodesOfDirectedMultiGraph(nodes, edges, options) == Refused("NodesOfDirectedMultiGraph")

\* The text of a drawing: no file is written.
SVGSerialize(svg, frameNamePrefix, frameNumber) == SVGElemToString(svg)
====

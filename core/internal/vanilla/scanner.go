package vanilla

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// scanner reads JSON in place and strictly (RFC 8259, valid UTF-8, no duplicate
// names in objects that are read). It is driven by what is expected next, so
// that a sector's 37 MB of small numbers need neither tokens nor a tree.
//
// The first failure sticks: it is kept in err with the path of the value, and
// every later call does nothing.
type scanner struct {
	data []byte
	pos  int
	err  *status.Error
	path []segment
}

// segment is one step of a path: a name, or an index if name is empty.
type segment struct {
	name  string
	index int
}

// maxDepth bounds the nesting of ignored values, as serde_json does.
const maxDepth = 128

// maxOthers bounds the ignored fields of an object that is read: each is
// remembered, and a document of nothing but names would take many times its
// size. No writer has any.
const maxOthers = 1024

func (s *scanner) fail(code status.Code, format string, args ...any) {
	if s.err != nil {
		return
	}
	where := pathString(s.path)
	message := fmt.Sprintf(format, args...)
	if where != "" {
		message = where + ": " + message
	}
	s.err = status.New(code, where, "%s, at byte %d", message, min(s.pos, len(s.data)))
}

// syntax fails with what was found in place of what.
func (s *scanner) syntax(what string) {
	if s.pos >= len(s.data) {
		s.fail(status.InputSyntax, "input ends where %s is expected", what)
		return
	}
	r, _ := utf8.DecodeRune(s.data[s.pos:])
	s.fail(status.InputSyntax, "%q where %s is expected", r, what)
}

func pathString(path []segment) string {
	var b strings.Builder
	for _, p := range path {
		if p.name == "" {
			fmt.Fprintf(&b, "[%d]", p.index)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(p.name)
	}
	return b.String()
}

func (s *scanner) push(name string, index int) { s.path = append(s.path, segment{name, index}) }

// pop keeps the path of a failure.
func (s *scanner) pop() { s.path = s.path[:len(s.path)-1] }

// peek skips white space and returns the next byte, 0 at the end or after a failure.
func (s *scanner) peek() byte {
	if s.err != nil {
		return 0
	}
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		if c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		s.pos++
	}
	return 0
}

// expect consumes the byte c, which what describes.
func (s *scanner) expect(c byte, what string) bool {
	if s.peek() != c || s.pos >= len(s.data) {
		s.syntax(what)
		return false
	}
	s.pos++
	return true
}

// more tells whether another element follows in an object or array that closes
// with the byte end, and consumes the comma or the end.
func (s *scanner) more(end byte, first bool) bool {
	switch c := s.peek(); {
	case s.err != nil:
		return false
	case c == end:
		s.pos++
		return false
	case first:
		return true
	case c == ',':
		s.pos++
		return true
	}
	s.syntax(fmt.Sprintf("',' or '%c'", end))
	return false
}

// object reads an object: field i of names is handed to value, every one must
// be there once. Others are skipped, but not twice.
func (s *scanner) object(names []string, value func(i int)) {
	if !s.expect('{', "an object") {
		return
	}
	var seen uint32
	var others map[string]bool
	for first := true; s.more('}', first); first = false {
		key := s.text()
		if !s.expect(':', "':'") {
			return
		}
		i := indexOf(names, key)
		if i >= 0 {
			s.push(names[i], 0)
			if seen>>i&1 != 0 {
				s.fail(status.InputSyntax, "field given twice")
				return
			}
			seen |= 1 << i
			value(i)
			s.pop()
			continue
		}
		if others == nil {
			others = map[string]bool{}
		}
		if name := string(key); others[name] {
			s.fail(status.InputSyntax, "field %q given twice", clip(key))
		} else if others[name] = true; len(others) > maxOthers {
			s.fail(status.InputSyntax, "more than %d unknown fields", maxOthers)
		}
		s.skip(0)
	}
	for i := range names {
		if seen>>i&1 == 0 {
			s.fail(status.InputSyntax, "field %q is missing", names[i])
		}
	}
}

// clip shortens a text of the input for a message, which would otherwise be as
// long as the input and longer.
func clip[T string | []byte](text T) string {
	const most = 64
	if len(text) <= most {
		return string(text)
	}
	return string(text[:most]) + "…"
}

func indexOf(names []string, key []byte) int {
	for i := range names {
		if names[i] == string(key) {
			return i
		}
	}
	return -1
}

// variant reads an enum in serde's external tagging: an object with one field,
// whose name is handed to value.
func (s *scanner) variant(value func(tag string)) {
	if !s.expect('{', "an object") {
		return
	}
	tag := string(s.text())
	if !s.expect(':', "':'") {
		return
	}
	value(tag)
	s.expect('}', "the end of an object with one field")
}

// array reads an array of exactly n elements.
func (s *scanner) array(n int, value func(i int)) {
	if got := s.list(n, value); s.err == nil && got != n {
		s.fail(status.InputValue, "%d elements instead of %d", got, n)
	}
}

// list reads an array of at most limit elements and returns their number.
func (s *scanner) list(limit int, value func(i int)) int {
	if !s.expect('[', "an array") {
		return 0
	}
	i := 0
	for ; s.more(']', i == 0); i++ {
		if i == limit {
			s.fail(status.InputValue, "more than %d elements", limit)
			break
		}
		s.push("", i)
		value(i)
		s.pop()
	}
	return i
}

// uint reads an integer in 0..limit.
func (s *scanner) uint(limit uint64) uint64 {
	if c := s.peek(); c < '0' || c > '9' {
		s.syntax("an unsigned integer")
		return 0
	}
	start := s.pos
	var v uint64
	for s.pos < len(s.data) {
		d := s.data[s.pos] - '0'
		if d > 9 {
			break
		}
		if v > (1<<64-1)/10 || v*10 > 1<<64-1-uint64(d) {
			s.fail(status.InputValue, "number out of range")
			return 0
		}
		v = v*10 + uint64(d)
		s.pos++
	}
	switch {
	case s.data[start] == '0' && s.pos > start+1:
		s.fail(status.InputSyntax, "number with a leading zero")
	case s.pos < len(s.data) && bytes.IndexByte([]byte(".eE"), s.data[s.pos]) >= 0:
		s.fail(status.InputSyntax, "number is not an unsigned integer")
	case v > limit:
		s.fail(status.InputValue, "%d is greater than %d", v, limit)
	}
	return v
}

// text reads a string and returns its bytes, part of the input where it has no
// escapes.
func (s *scanner) text() []byte {
	if !s.expect('"', "a string") {
		return nil
	}
	start, escaped := s.pos, false
	for {
		i := bytes.IndexAny(s.data[s.pos:], "\"\\")
		if i < 0 {
			s.pos = len(s.data)
			s.syntax("the end of a string")
			return nil
		}
		if s.pos += i + 1; s.data[s.pos-1] == '"' {
			return s.unquote(start, escaped)
		}
		escaped = true
		s.pos = min(s.pos+1, len(s.data)) // the escaped byte ends nothing
	}
}

func (s *scanner) unquote(start int, escaped bool) []byte {
	raw := s.data[start : s.pos-1]
	if escaped {
		out, err := jsontext.AppendUnquote(nil, s.data[start-1:s.pos])
		if err != nil {
			s.fail(status.InputSyntax, "string: %v", err)
		}
		return out
	}
	for _, c := range raw {
		if c < ' ' {
			s.fail(status.InputSyntax, "control character %#02x in a string", c)
			return nil
		}
	}
	if !utf8.Valid(raw) {
		s.fail(status.InputSyntax, "string is not valid UTF-8")
	}
	return raw
}

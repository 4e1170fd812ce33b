package vanilla

import (
	"bytes"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// skip checks and passes over a value of any type that nothing reads.
func (s *scanner) skip(depth int) {
	if depth > maxDepth {
		s.fail(status.InputSyntax, "more than %d levels of nesting", maxDepth)
		return
	}
	switch c := s.peek(); {
	case c == '{':
		s.pos++
		for first := true; s.more('}', first); first = false {
			s.text()
			s.expect(':', "':'")
			s.skip(depth + 1)
		}
	case c == '[':
		s.pos++
		for first := true; s.more(']', first); first = false {
			s.skip(depth + 1)
		}
	case c == '"':
		s.text()
	case c == '-' || c >= '0' && c <= '9':
		s.number()
	default:
		s.literal("true", "false", "null")
	}
}

// null reads the one value of a unit type.
func (s *scanner) null() {
	s.peek()
	s.literal("null")
}

func (s *scanner) literal(words ...string) {
	if s.err != nil {
		return
	}
	for _, w := range words {
		if bytes.HasPrefix(s.data[s.pos:], []byte(w)) {
			s.pos += len(w)
			return
		}
	}
	if len(words) == 1 {
		s.syntax(words[0])
		return
	}
	s.syntax("a value")
}

// number passes over a number of JSON's grammar.
func (s *scanner) number() {
	if s.data[s.pos] == '-' {
		s.pos++
	}
	if s.next() == '0' {
		s.pos++
	} else {
		s.digits()
	}
	if s.next() == '.' {
		s.pos++
		s.digits()
	}
	if c := s.next(); c == 'e' || c == 'E' {
		s.pos++
		if c = s.next(); c == '+' || c == '-' {
			s.pos++
		}
		s.digits()
	}
}

// next is the byte at hand without skipping white space, 0 at the end.
func (s *scanner) next() byte {
	if s.err != nil || s.pos >= len(s.data) {
		return 0
	}
	return s.data[s.pos]
}

func (s *scanner) digits() {
	start := s.pos
	for c := s.next(); c >= '0' && c <= '9'; c = s.next() {
		s.pos++
	}
	if s.pos == start {
		s.syntax("a digit")
	}
}

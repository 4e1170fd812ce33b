//go:build cuzkdebug

package main

import _ "github.com/ianlancetaylor/cgosymbolizer" // C frames in Go traces: a debug build only

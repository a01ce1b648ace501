// Package ptytest runs commands on a terminal, for tests. It needs Linux: elsewhere it is
// empty.
package ptytest

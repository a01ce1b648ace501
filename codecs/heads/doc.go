// Package heads recognises contents by their heads alone: shader libraries, banks and
// sounds of Wwise, fonts, pipeline caches. See FORMAT.md.
package heads

// Package heads tells kinds of contents of which nothing is read but their head: shader
// libraries, banks and sounds of Wwise, fonts, pipeline caches. See FORMAT.md.
package heads

//go:build !linux && !darwin

package terminal

// hideTyping leaves it to term.ReadPassword, which hides what is typed after the question.
func hideTyping(int) error { return nil }

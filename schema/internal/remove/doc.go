// Package remove deletes builds, and what no other build needs.
//
//	label --> build --> archives that none mounts --> rows of editions --> contents, paths, names
package remove

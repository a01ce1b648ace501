// Package oodle decodes the Oodle LZ streams that game archives hold, the blocks of method "Oodle" of Unreal Engine's
// .pak and .ucas files above all.
package oodle

// Package ue holds what the Unreal formats share: strings, GUIDs, AES and the
// path hash. All integers of these formats are little-endian.
//
// Sources: files written by UnrealPak 4.20 to 6.0, unless a name says otherwise.
package ue

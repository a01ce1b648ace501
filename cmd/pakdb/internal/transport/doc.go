// Package transport tells what an update costs by each way of transport, for the
// commands diff and delta make.
package transport

// Loaded before a program of Node, Bun or Deno: connections to the platform's names go to the server on this machine. The
// server name of TLS stays, so certificates are checked as always. Written for `rostra exec`, which fills in the values.
'use strict'
const net = require('node:net')
const tls = require('node:tls')
const fs = require('node:fs')

const TLS_PORT = Number('@TLS_PORT@')
const PLAIN_PORT = Number('@PLAIN_PORT@')
const NAMES = new Set('@NAMES@'.split(','))
const AUTHORITY_FILE = '@AUTHORITY@'

const portFor = (host, port) => {
  if (typeof host !== 'string' || !NAMES.has(host.toLowerCase().replace(/\.$/, ''))) return undefined
  return Number(port) === 443 ? TLS_PORT : Number(port) === 80 ? PLAIN_PORT : undefined
}

const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function connectToServer(...given) {
  // Node's own modules pass the normalized list [options, callback] as one argument.
  const isList = Array.isArray(given[0])
  const args = isList ? given[0] : given
  const [first, second] = args
  if (first !== null && typeof first === 'object') {
    const port = portFor(first.host ?? first.hostname, first.port)
    if (port !== undefined) {
      const { lookup, family, localAddress, hints, ...rest } = first
      args[0] = { ...rest, host: '127.0.0.1', port }
    }
  } else if (typeof second === 'string') {
    const port = portFor(second, first)
    if (port !== undefined) args.splice(0, 2, port, '127.0.0.1')
  }
  return connect.apply(this, given)
}

// A program that brings its own list of authorities trusts ours too, which can sign for the platform's names only.
const createSecureContext = tls.createSecureContext
tls.createSecureContext = function createTrustingContext(options, ...rest) {
  const context = createSecureContext.call(this, options, ...rest)
  if (options?.ca) {
    try {
      context.context.addCACert(fs.readFileSync(AUTHORITY_FILE))
    } catch {
      // Bun and Deno have no such method.
    }
  }
  return context
}

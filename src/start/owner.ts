import net from 'node:net'

/**
 * Watches the process that owns this server. The owner holds the other end of a pipe and never writes to it: when it ends, however
 * it ends, the pipe ends too. Calls back once then. Does nothing without a descriptor.
 */
export function watchOwner(descriptor: number | undefined, onGone: () => void): void {
  if (descriptor === undefined) return
  let isGone = false
  const gone = () => {
    if (isGone) return
    isGone = true
    onGone()
  }
  const stream = openPipe(descriptor)
  if (!stream) {
    gone()
    return
  }
  stream.on('data', () => {})
  stream.on('end', gone)
  stream.on('close', gone)
  stream.on('error', gone)
}

function openPipe(descriptor: number): net.Socket | undefined {
  try {
    // A socket, not a file stream: it does not keep a thread waiting in a read.
    const socket = new net.Socket({ fd: descriptor, readable: true, writable: false })
    socket.unref()
    return socket
  } catch {
    // There is no such pipe, so there is no owner to wait for.
    return undefined
  }
}

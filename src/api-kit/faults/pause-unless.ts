import type { Socket } from 'node:net'

/** Waits, but not longer than until the process stops or, where it is given, the client has gone away. */
export function pauseUnless(ms: number, stopping: AbortSignal, client?: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      stopping.removeEventListener('abort', done)
      client?.off('close', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    stopping.addEventListener('abort', done)
    client?.on('close', done)
    if (stopping.aborted || client?.destroyed) done()
  })
}

import type { Worker } from 'node:cluster'

interface Handed {
  close(): void
}
interface ClusterMessage {
  cmd?: string
  act?: string
  seq?: number
  ack?: number
}

/**
 * Closes the connections that were passed to a worker that died before it accepted them. Node's cluster does not close these, and
 * their clients would wait for ever.
 */
export function closeUntaken(worker: Worker): void {
  const child = worker.process
  const handed = new Map<number, Handed>()
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  child.send = (...args: unknown[]) => {
    const [message, handle] = args as [ClusterMessage | undefined, Handed | undefined]
    if (message?.cmd === 'NODE_CLUSTER' && message.act === 'newconn' && handle) handed.set(message.seq!, handle)
    return send(...args)
  }
  child.on('internalMessage', (message: ClusterMessage) => {
    if (message?.cmd === 'NODE_CLUSTER' && message.ack !== undefined) handed.delete(message.ack)
  })
  worker.once('exit', () => {
    for (const handle of handed.values()) handle.close()
  })
}

import type { ServerResponse } from 'node:http'

interface Waiting {
  response: ServerResponse
  text: string
  encoding: BufferEncoding
}

// An answer waits for others at most about as long as ten take.
const LONGEST_MS = 1

let waiting: Waiting[] = []
let since = 0

/**
 * Ends responses whose heads are written, those of one turn of the event loop one after the other. To wake a client that sleeps
 * takes the system longer than to copy the answer. While it wakes for the first, it gets the others for nothing.
 */
export function endTogether(response: ServerResponse, text: string, encoding: BufferEncoding): void {
  const now = performance.now()
  if (waiting.length === 0) {
    since = now
    setImmediate(endAll)
  }
  waiting.push({ response, text, encoding })
  // What takes long in this turn must not hold up answers that are ready.
  if (now - since > LONGEST_MS) endAll()
}

function endAll(): void {
  const all = waiting
  waiting = []
  for (const { response, text, encoding } of all) response.end(text, encoding)
}

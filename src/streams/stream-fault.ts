import type { Invalidations } from '../api-kit/runtime.ts'
import type { DisconnectType } from '../api-kit/writing/problem-words.ts'

/** What an operator does to open streams. */
export const STREAM_ACTIONS = ['drop', 'stall', 'resume', 'disconnect'] as const

/** Which open streams, and what happens to them. */
export interface StreamFault {
  action: (typeof STREAM_ACTIONS)[number]
  disconnectType?: DisconnectType | undefined
  /** Only streams with this endpoint name, their recoveries included. */
  endpoint?: string | undefined
  appId?: string | undefined
}

/** The kind and the topic under which stream faults travel. */
export const STREAM_FAULT = 'stream-fault'
/** Ends the stalls of all streams where it is announced. */
export const STREAMS_RESUMED: Invalidations[number] = [
  STREAM_FAULT,
  [JSON.stringify({ action: 'resume' } satisfies StreamFault)],
]
/** The topic under which processes ask each other about their streams. */
export const STREAM_FACTS = 'stream-facts'

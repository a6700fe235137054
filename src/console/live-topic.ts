import type { Runtime } from '../api-kit/runtime.ts'
import type { EventStream } from '../api-kit/serving/event-stream.ts'

/** What can be followed live. */
export const TOPICS = ['requests', 'events', 'deliveries', 'life'] as const
export type LiveTopic = (typeof TOPICS)[number]

/** How a topic sends to one reader. */
export interface TopicWriter {
  /** Where the reader is, before anything was sent. */
  at(cursor: string): void
  /** Sends a JSON array. A reader that has it goes on after `cursor`. */
  send(json: string, cursor: string): void
}

/** Begins a topic for one reader, after its cursor if it has one that is usable. Resolves when what it missed was sent. */
export type OpenTopic = (
  runtime: Runtime,
  stream: EventStream,
  cursor: string | undefined,
  writer: TopicWriter,
) => Promise<void>

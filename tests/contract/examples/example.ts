import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Cast, Scene } from '../scene.ts'

/**
 * One call of an operation that succeeds, in neutral names. Query parameters that list words of the interface (fields,
 * expansions) need no mention: the contract tests ask for all of them, less what `without` names.
 */
export interface Call {
  /** The app, or the cast's user alice with all rights: by OAuth 1.0a, or by OAuth 2.0 where nothing else is accepted. */
  as: 'app' | 'user' | 'oauth2'
  path?: Record<string, string>
  query?: Record<string, string>
  without?: Record<string, string[]>
  body?: unknown
  /**
   * Of streams: makes something happen that the stream may deliver, such as a post of which it shows a share. Done
   * again until a line comes. Where nothing can happen it is absent, and the line is the one that ends the stream.
   */
  cause?: () => Promise<unknown>
}

/** How to call operations successfully, by operation id; run for every call, to make what it needs. */
export type Examples = Record<string, (scene: Scene, cast: Cast) => Call[] | Promise<Call[]>>

/** The examples of every file of this folder: a file for each tag. */
export async function loadExamples(): Promise<Examples> {
  const all: Examples = {}
  for (const file of readdirSync(import.meta.dirname)) {
    if (!file.endsWith('.examples.ts')) continue
    const { examples } = (await import(path.join(import.meta.dirname, file))) as { examples: Examples }
    for (const [id, example] of Object.entries(examples)) {
      if (all[id]) throw new Error(`Two examples for ${id}`)
      all[id] = example
    }
  }
  return all
}

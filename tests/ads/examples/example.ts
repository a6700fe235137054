import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { As } from '../../support/server.ts'
import type { AdsScene } from '../ads-scene.ts'

/** A call of an operation that succeeds. */
export interface AdsCall {
  /** Values of the path besides `account_id`. */
  path?: Record<string, string>
  /** Parameters, sent in the query. */
  values?: Record<string, string | number | boolean>
  /** JSON body, where the operation takes one. */
  json?: unknown
  as?: As
}

/** Makes what the call needs and says how it is made. It is called anew for every call. */
export type AdsExample = (scene: AdsScene) => Promise<AdsCall> | AdsCall

/** Examples of all operations, by operation id. */
export async function loadAdsExamples(): Promise<Record<string, AdsExample>> {
  const all: Record<string, AdsExample> = {}
  for (const file of readdirSync(import.meta.dirname).filter((name) => name.endsWith('.examples.ts'))) {
    const { examples } = (await import(path.join(import.meta.dirname, file))) as {
      examples: Record<string, AdsExample>
    }
    for (const [id, example] of Object.entries(examples)) {
      if (all[id]) throw new Error(`Two examples of ${id}`)
      all[id] = example
    }
  }
  return all
}

import { randomInt } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import type { Sampling } from './sampling.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    sampling: Sampling
  }
}

/** Chooses which cases of the large products this run makes: `--mode full` all of them, `--mode rest` those that the same seed leaves out. */
export default function setup(project: TestProject): void {
  const { mode } = project.vite.config
  const cases = mode === 'full' ? 'all' : mode === 'rest' ? 'rest' : 'some'
  const given = process.env.ROSTRA_TEST_SEED
  const seed = given === undefined || given === '' ? randomInt(1_000_000) : Number(given)
  if (!Number.isSafeInteger(seed)) throw new Error('ROSTRA_TEST_SEED must be a whole number')
  project.provide('sampling', { cases, seed })
  if (cases === 'all') return
  const what = cases === 'some' ? 'A part of the hostile and repeated cases runs' : 'What the sample left out runs'
  console.log(`${what}, seed ${seed} (ROSTRA_TEST_SEED=${seed} repeats it; npm run test:full runs every case).`)
}

import type { TestProject } from 'vitest/node'
import type { Sampling } from '../support/sampling.ts'
import { casesOf, seedOfRun } from './test-files.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    sampling: Sampling
  }
}

/** Tells the tests which cases of the large products this run makes. */
export default function setup(project: TestProject): void {
  const cases = casesOf(project.vite.config.mode)
  const seed = seedOfRun()
  project.provide('sampling', { cases, seed })
  if (cases === 'all') return
  const what =
    cases === 'some' ? 'A part of the slow, hostile and repeated cases runs' : 'What the sample left out runs'
  console.log(`${what}, seed ${seed} (ROSTRA_TEST_SEED=${seed} repeats it; npm run test:full runs every case).`)
}

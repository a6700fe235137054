import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'

/** Which part of the suite a run makes: `--mode full` everything, `--mode rest` what a run with the same seed leaves out. */
export type Cases = 'some' | 'rest' | 'all'

export const casesOf = (mode: string): Cases => (mode === 'full' ? 'all' : mode === 'rest' ? 'rest' : 'some')

/** The seed of this run, from the environment or chosen now and put there: the configuration and the setup share it. */
export function seedOfRun(): number {
  const given = process.env.ROSTRA_TEST_SEED
  const seed = given === undefined || given === '' ? randomInt(1_000_000) : Number(given)
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error('ROSTRA_TEST_SEED must be a whole number')
  process.env.ROSTRA_TEST_SEED = String(seed)
  return seed
}

const SLOW_FILE = /\.process\.test\.ts$|^process[\\/].*\.sampled\.test\.ts$/
const PARTS = 24
// CI has 25 minutes on machines that may be slow: other seeds run these.
const LEFT_OUT = 11

/**
 * The test files of a run. Files that start whole installations are slow: a run has one or two of them, the rest half of the others.
 * A full run has all.
 */
export function filesOfRun(cases: Cases, seed: number): { include: string[]; exclude: string[] } {
  const every = 'tests/**/*.test.ts'
  if (cases === 'all') return { include: [every], exclude: [] }
  const slow = readdirSync('tests', { recursive: true, encoding: 'utf8' })
    .filter((file) => SLOW_FILE.test(file))
    .map((file) => `tests/${file.replaceAll('\\', '/')}`)
    .sort()
  const turn = (at: number) => (at + PARTS - (seed % PARTS)) % PARTS
  if (cases === 'some') return { include: [every], exclude: slow.filter((_, at) => turn(at) !== 0) }
  const left = slow.filter((_, at) => turn(at) > LEFT_OUT)
  const later = slow.filter((_, at) => turn(at) > 0 && turn(at) <= LEFT_OUT)
  return { include: ['tests/**/*.sampled.test.ts', ...left], exclude: later }
}

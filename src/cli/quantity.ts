import { UsageError } from './command-line.ts'

type Units = Record<string, number>
const TIME: Units = { '': 1, ms: 1, s: 1_000, m: 60_000 }
const SIZE: Units = { '': 1, b: 1, kb: 1_024, mb: 1_024 * 1_024 }

/** A time such as `500ms`, `2s` or `1m` in milliseconds. */
export const readTime = (text: unknown, flag: string): number | undefined =>
  readUnits(text, flag, TIME, 'a time such as 500ms, 2s or 1m')

/** A size such as `512`, `1kb` or `1mb` in bytes. */
export const readSize = (text: unknown, flag: string): number | undefined =>
  readUnits(text, flag, SIZE, 'a size such as 512, 1kb or 1mb')

function readUnits(text: unknown, flag: string, units: Units, form: string): number | undefined {
  if (text === undefined) return undefined
  const found = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(String(text))
  const unit = found && units[found[2]!.toLowerCase()]
  if (!unit) throw new UsageError(`--${flag} is ${JSON.stringify(text)}, but must be ${form}.`)
  return Math.round(Number(found[1]) * unit)
}

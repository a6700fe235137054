import * as quantity from '../process/quantity.ts'
import { UsageError } from './command-line.ts'

/** A flag with a time such as `500ms`, `2s` or `1m` in milliseconds, which need no unit. */
export const readTime = (text: unknown, flag: string): number | undefined =>
  read(text, flag, 'a time such as 500ms, 2s or 1m', (word) =>
    quantity.readDuration(/^\d+$/.test(word) ? `${word}ms` : word),
  )

/** A flag with a size such as `512`, `1kb` or `1mb` in bytes. */
export const readSize = (text: unknown, flag: string): number | undefined =>
  read(text, flag, 'a size such as 512, 1kb or 1mb', quantity.readSize)

function read(
  text: unknown,
  flag: string,
  form: string,
  parse: (word: string) => number | undefined,
): number | undefined {
  if (text === undefined) return undefined
  const found = parse(String(text))
  if (found === undefined) throw new UsageError(`--${flag} is ${JSON.stringify(text)}, but must be ${form}.`)
  return found
}

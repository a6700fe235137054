import { isDeepStrictEqual } from 'node:util'
import type { AdsError } from './errors.ts'

/**
 * A value that an update may not give a member. Clients that send whole records repeat such values,
 * so it is an error only where the record has another value.
 */
export class RefusedValue {
  readonly error: AdsError
  readonly #sent: unknown
  readonly #value: unknown
  /** `value` is what was read, where the value itself is valid. */
  constructor(error: AdsError, sent: unknown, value?: unknown) {
    this.error = error
    this.#sent = sent
    this.#value = value
  }

  /** True when the record has the value: as it is stored, or as replies show it. */
  isRepeated(stored: unknown, shown: unknown): boolean {
    return (this.#value !== undefined && isDeepStrictEqual(this.#value, stored)) || isSame(this.#sent, shown)
  }
}

// A query has texts where JSON has numbers, flags and lists, and nothing where JSON has null or an empty list.
function isSame(sent: unknown, shown: unknown): boolean {
  if (isEmpty(sent) || isEmpty(shown)) return isEmpty(sent) && isEmpty(shown)
  if (Array.isArray(shown)) {
    const items = Array.isArray(sent) ? sent : String(sent).split(',')
    return items.length === shown.length && items.every((item, at) => isSame(item, shown[at]))
  }
  return typeof sent !== 'object' && String(sent) === String(shown)
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

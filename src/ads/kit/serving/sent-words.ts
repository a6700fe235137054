import type { Naming } from '../../../api-kit/naming/naming.ts'
import type { AdsError } from '../errors.ts'

/** Words of the interface that a client sent: they are read in the neutral spelling and repeated in refusals as they were sent. */
export class SentWords {
  readonly #legacy: Naming
  /** For each parameter, neutral words and how they were spelled. */
  readonly #spelled = new Map<string, Map<string, string>>()

  constructor(legacy: Naming) {
    this.#legacy = legacy
  }

  /** True when one of them had the legacy spelling. */
  get areLegacy(): boolean {
    return this.#spelled.size > 0
  }

  /** The neutral form of a word, of a comma list or of an array of words. */
  restore(parameter: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.restore(parameter, item))
    if (typeof value !== 'string') return value
    const own = this.#legacy.restore(value)
    if (own === value) return value
    const known = this.#spelled.get(parameter) ?? new Map<string, string>()
    this.#spelled.set(parameter, known)
    for (const word of [value, ...value.split(',').map((part) => part.trim())])
      known.set(this.#legacy.restore(word), word)
    return own
  }

  /** The error with the refused value as the client wrote it. */
  asSent(error: AdsError): AdsError {
    const known = error.parameter === undefined ? undefined : this.#spelled.get(error.parameter)
    return known === undefined ? error : error.with({ value: unrestored(error.value, known) })
  }
}

function unrestored(value: unknown, known: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => unrestored(item, known))
  return typeof value === 'string' ? (known.get(value) ?? value) : value
}

import { invalidateEverywhere, type Runtime } from '../api-kit/runtime.ts'

/** The kind under which processes learn that a life has gone on. */
const LIFE = 'life'
const PAUSE_MS = 500

/** Calls back when a life has begun, gone on or ended, in any process. Returns how to end that. */
export const onLifeNews = ({ parts }: Runtime, listener: () => void): (() => void) =>
  parts.onInvalidate(LIFE, (ids) => {
    if (ids.length > 0) listener()
  })

/** Tells all processes that a life has gone on. */
export const tellLifeNews = (runtime: Runtime, id: string): Promise<void> =>
  invalidateEverywhere(runtime, [[LIFE, [id]]])

/** Tells it while a life goes on, but not with every tick: some lives have a hundred in a second. */
export class LifeNews {
  readonly #runtime: Runtime
  readonly #id: string
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(runtime: Runtime, id: string) {
    this.#runtime = runtime
    this.#id = id
  }

  async tellSometimes(): Promise<void> {
    const now = performance.now()
    if (now - this.#toldAt < PAUSE_MS) return
    this.#toldAt = now
    await tellLifeNews(this.#runtime, this.#id)
  }
}

/** How items are collected. */
interface BatchOptions<I, O> {
  /** Most items handled together. */
  most: number
  /** How many batches may be in progress at once. */
  atOnce: number
  /** Two items of one key are never in the same batch. */
  keyOf(item: I): string
  /** Handles items together and answers for each, in order. */
  handle(items: I[]): Promise<O[]>
  /** True for a failure that a single item may have caused: then each is handled by itself. */
  isOneItemsFault(error: unknown): boolean
}

interface Waiting<I, O> {
  item: I
  key: string
  resolve(answer: O): void
  reject(error: unknown): void
}

/**
 * Collects items while earlier ones are in progress. Without load an item is handled at once; under load the items that came
 * meanwhile share one statement and one flush. An item that cannot be handled does not fail the others.
 */
export function batchQueue<I, O>({
  most,
  atOnce,
  keyOf,
  handle,
  isOneItemsFault,
}: BatchOptions<I, O>): (item: I) => Promise<O> {
  let waiting: Waiting<I, O>[] = []
  let inFlight = 0

  const take = (): Waiting<I, O>[] => {
    const keys = new Set<string>()
    const batch: Waiting<I, O>[] = []
    const left: Waiting<I, O>[] = []
    for (const one of waiting) {
      if (batch.length < most && !keys.has(one.key)) {
        keys.add(one.key)
        batch.push(one)
      } else left.push(one)
    }
    waiting = left
    return batch
  }

  const run = async (batch: Waiting<I, O>[]): Promise<void> => {
    try {
      const answers = await handle(batch.map(({ item }) => item))
      for (const [index, one] of batch.entries()) one.resolve(answers[index]!)
    } catch (error) {
      if (batch.length > 1 && isOneItemsFault(error)) for (const one of batch) await run([one])
      else for (const one of batch) one.reject(error)
    }
  }

  const pump = (): void => {
    while (inFlight < atOnce && waiting.length > 0) {
      inFlight += 1
      void run(take()).finally(() => {
        inFlight -= 1
        pump()
      })
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      // What one turn of the event loop brings belongs together.
      if (waiting.length === 0) setImmediate(pump)
      waiting.push({ item, key: keyOf(item), resolve, reject })
    })
}

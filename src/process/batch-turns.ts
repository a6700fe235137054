/**
 * Collects the items of one turn of the event loop and handles them together: under load many requests share one statement,
 * without load no item waits for others. `handle` answers for each item, in order.
 */
export function batchTurns<I, O>(handle: (items: I[]) => Promise<O[]>): (item: I) => Promise<O> {
  let waiting: { item: I; resolve(answer: O): void; reject(error: unknown): void }[] = []

  const run = async () => {
    const batch = waiting
    waiting = []
    try {
      const answers = await handle(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void run())
      waiting.push({ item, resolve, reject })
    })
}

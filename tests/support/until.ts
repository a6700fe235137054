const LOOK_AGAIN_MS = 10

/** Calls `look` until it returns something other than `undefined` or `false`; throws if that takes too long. */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`It did not happen within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

import type { ReadStream } from '../support/read-stream.ts'

/** The lines that a stream has received so far. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at members of lines whose shape they assert.
export const linesOf = (stream: ReadStream): any[] =>
  stream.text
    .split('\r\n')
    .slice(0, -1)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** The lines of some streams once there are `count` of them, or after a minute. */
export async function arrived(streams: ReadStream[], count: number) {
  const deadline = Date.now() + 60_000
  for (;;) {
    const lines = streams.flatMap(linesOf)
    if (lines.length >= count || Date.now() > deadline) return lines
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

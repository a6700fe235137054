import { hasColour } from '../colour.ts'

/** Steps of the start that take long enough to be shown, in words for people. */
const WORDS: Record<string, string> = {
  database: 'database',
  runtime: 'world',
  requests: 'workers',
  // All of them, where another program is started for it.
  server: 'server',
}

/** Shows which step of the start is in progress and how long each took; only on a terminal. */
export function showSteps(stream: NodeJS.WriteStream): { step(name: string): void; end(): void } {
  if (stream.isTTY !== true) return { step: () => {}, end: () => {} }
  const grey = (text: string) => (hasColour(stream) ? `\u001b[90m${text}\u001b[39m` : text)
  let current: { words: string; begun: number } | undefined
  const end = () => {
    if (!current) return
    const seconds = ((performance.now() - current.begun) / 1_000).toFixed(1)
    stream.write(`\r\u001b[K  ${current.words.padEnd(10)} ${grey(`${seconds} s`)}\n`)
    current = undefined
  }
  return {
    step: (name) => {
      end()
      const words = WORDS[name]
      if (words === undefined) return
      current = { words, begun: performance.now() }
      stream.write(`  ${words.padEnd(10)} ${grey('...')}`)
    },
    end,
  }
}

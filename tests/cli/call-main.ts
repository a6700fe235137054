import { vi } from 'vitest'
import { main } from '../../src/main.ts'
import type { Finished } from '../support/child-server.ts'

/** What a command writes to standard error when it succeeds: where it changed something, if it did. */
export const WHERE_CHANGED = /^(Changed [^\n]+\.\n)?$/

/** The command line in this process: a child takes most of a second, and there are many command lines to try. */
export async function call(args: string[]): Promise<Finished> {
  const finished: Finished = { code: 0, stdout: '', stderr: '' }
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((text) => {
      finished.stdout += `${text}\n`
    }),
    vi.spyOn(console, 'error').mockImplementation((text) => {
      finished.stderr += `${text}\n`
    }),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      finished.code = Number(code)
      return undefined as never
    }),
  ]
  try {
    await main(args)
    return finished
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

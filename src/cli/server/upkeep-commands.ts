import type { CliCommand } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs } from '../words.ts'

const command = (name: string, summary: string): CliCommand => ({
  name: name.replace('.', ' '),
  summary,
  flags: {},
  run: async (call) => {
    const result = await runCommand(call.settings, name, {})
    call.print(result, () => pairs(result))
  },
})

/** What a server does by itself, or not at all, done now. */
export const topicsCliCommand = command('topics.work', 'Counts new posts and makes trends and news now.')
export const limitsCliCommand = command('limits.clear', 'Clears the counters of the rate limits.')
export const cacheCliCommand = command(
  'cache.forget',
  'Drops all cached data, which is needed after the database was changed by hand.',
)

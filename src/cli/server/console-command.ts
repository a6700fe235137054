import type { Credentials } from '../../process/credentials.ts'
import { type CliCommand, UsageError } from '../command-line.ts'
import { callRunning } from '../reach-runtime.ts'
import { noServer } from '../where.ts'

export const consoleCommand: CliCommand = {
  name: 'console',
  summary: 'Prints a link that opens the console of the running server in a browser. It works once.',
  flags: {},
  run: async (call) => {
    const credentials = (await callRunning(call.settings, 'GET', '/_rostra/credentials')) as Credentials | undefined
    if (!credentials) throw await noServer(call.settings)
    const { console_url } = credentials
    if (console_url === undefined)
      throw new UsageError(
        'This server has no console: it listens on other addresses too. --console on serves it there.',
      )
    call.print({ console_url }, () => console_url)
  },
}

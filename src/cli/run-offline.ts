import { neutral } from '../api-kit/naming/naming.ts'
import { compileBody } from '../api-kit/reading/body.ts'
import { Problem, renderBody } from '../api-kit/writing/problem.ts'
import { audited } from '../control/audit/audited.ts'
import { onlyReads } from '../control/audit/only-reads.ts'
import { commands } from '../control/commands.ts'
import type { Settings } from '../settings.ts'
import { renewCredentials } from '../start/credentials-file.ts'
import { RefusedError } from './explain.ts'
import { withRuntime } from './open-runtime.ts'

/** Runs a command of the control interface on the database of an instance that is not running. */
export function runOffline(
  settings: Settings,
  name: string,
  given: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const command = commands.find((item) => item.name === name)!
  return withRuntime(settings, async (runtime) => {
    try {
      const run = async () => command.run(runtime, compileBody(command.args, neutral)(given))
      const result = onlyReads(name, given)
        ? await run()
        : await audited(runtime, { actor: 'command line', name, args: given }, run)
      await renewCredentials(runtime, settings.dataDir)
      return result as Record<string, unknown>
    } catch (error) {
      if (error instanceof Problem) throw new RefusedError(renderBody(error.body, neutral, 'problem'))
      throw error
    }
  })
}

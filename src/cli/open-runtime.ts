import { neutral } from '../api-kit/naming/naming.ts'
import { compileBody } from '../api-kit/reading/body.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { Problem, renderBody } from '../api-kit/writing/problem.ts'
import { commands } from '../control/commands.ts'
import { createLogger } from '../process/logger.ts'
import type { Settings } from '../settings.ts'
import { renewCredentials } from '../start/credentials-file.ts'
import { takeDataFolder } from '../start/instance-lock.ts'
import { takeMachineNumbers } from '../start/machine-numbers.ts'
import { openStorage } from '../start/open-storage.ts'
import { prepare } from '../start/prepare.ts'
import { UsageError } from './command-line.ts'
import { explain } from './reach-runtime.ts'

/** Runs a command of the control interface on the database of an instance that does not run. */
export function runAtRest(
  settings: Settings,
  name: string,
  given: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const command = commands.find((item) => item.name === name)!
  return withRuntime(settings, async (runtime) => {
    try {
      const result = await command.run(runtime, compileBody(command.args, neutral)(given) as never)
      await renewCredentials(runtime, settings.dataDir)
      return result as Record<string, unknown>
    } catch (error) {
      if (error instanceof Problem) throw new UsageError(explain(renderBody(error.body, neutral, 'problem')))
      throw error
    }
  })
}

/** Opens the data folder of an instance that does not run, for as long as `work` takes. */
export async function withRuntime<T>(settings: Settings, work: (runtime: Runtime) => Promise<T>): Promise<T> {
  const folder = takeDataFolder(settings.dataDir)
  const log = createLogger(settings.logLevel, 'command')
  try {
    const storage = await openStorage(settings, log)
    try {
      const numbers = await takeMachineNumbers(settings, storage.connection, 1)
      try {
        const { runtime } = await prepare(settings, storage, log, numbers.of(0))
        try {
          return await work(runtime)
        } finally {
          await runtime.close()
        }
      } finally {
        await numbers.release()
      }
    } finally {
      await storage.close()
    }
  } finally {
    folder.release()
  }
}

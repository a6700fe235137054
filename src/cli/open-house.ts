import { compileBody } from '../api-kit/body.ts'
import type { House } from '../api-kit/house.ts'
import { neutral } from '../api-kit/naming.ts'
import { Problem, renderBody } from '../api-kit/problem.ts'
import { commands } from '../control/commands.ts'
import { createLogger } from '../process/logger.ts'
import type { Settings } from '../settings.ts'
import { renewCredentials } from '../start/credentials-file.ts'
import { takeDataFolder } from '../start/instance-lock.ts'
import { takeMachineNumbers } from '../start/machine-numbers.ts'
import { openStorage } from '../start/open-storage.ts'
import { prepare } from '../start/prepare.ts'
import { UsageError } from './command-line.ts'
import { explain } from './reach-house.ts'

/** Runs a command of the control interface on the database of an instance that does not run. */
export function runAtRest(
  settings: Settings,
  name: string,
  given: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const command = commands.find((item) => item.name === name)!
  return withHouse(settings, async (house) => {
    try {
      const result = await command.run(house, compileBody(command.args, neutral)(given) as never)
      await renewCredentials(house, settings.dataDir)
      return result as Record<string, unknown>
    } catch (error) {
      if (error instanceof Problem) throw new UsageError(explain(renderBody(error.body, neutral, 'problem')))
      throw error
    }
  })
}

/** Opens the data folder of an instance that does not run, for as long as `work` takes. */
export async function withHouse<T>(settings: Settings, work: (house: House) => Promise<T>): Promise<T> {
  const folder = takeDataFolder(settings.dataDir)
  const log = createLogger(settings.logLevel, 'command')
  try {
    const storage = await openStorage(settings, log)
    try {
      const numbers = await takeMachineNumbers(settings, storage.connection, 1)
      try {
        const { house } = await prepare(settings, storage, log, numbers.of(0))
        try {
          return await work(house)
        } finally {
          await house.database.close()
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

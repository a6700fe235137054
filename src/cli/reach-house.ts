import { compileBody } from '../api-kit/body.ts'
import type { House } from '../api-kit/house.ts'
import { neutral } from '../api-kit/naming.ts'
import { Problem, renderBody } from '../api-kit/problem.ts'
import { commands } from '../control/commands.ts'
import { adminKey } from '../control/endpoints.ts'
import { createLogger } from '../process/logger.ts'
import { createSealer } from '../process/sealer.ts'
import type { Settings } from '../settings.ts'
import { runningInstance, takeDataFolder } from '../start/instance-lock.ts'
import { openStorage } from '../start/open-storage.ts'
import { prepare } from '../start/prepare.ts'
import { readSecretKey } from '../start/secret-key.ts'
import { UsageError } from './command-line.ts'

/** Calls the control interface of the instance that runs on the data folder; undefined when none does. */
export async function callRunning(
  settings: Settings,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<unknown> {
  const instance = runningInstance(settings.dataDir)
  if (!instance?.listen_url) return undefined
  const answer = await fetch(`${instance.listen_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${adminKey(createSealer(readSecretKey(settings)))}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new UsageError(explain(JSON.parse(text)))
  return JSON.parse(text)
}

/** Runs a command of the control interface: in the running instance, or on the database at rest. */
export async function runCommand(
  settings: Settings,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))
  const answered = await callRunning(settings, 'POST', `/_rostra/commands/${name}`, given)
  if (answered !== undefined) return answered as Record<string, unknown>
  const command = commands.find((item) => item.name === name)!
  return withHouse(settings, async (house) => {
    try {
      return (await command.run(house, compileBody(command.args, neutral)(given) as never)) as Record<string, unknown>
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
      // The last process number: a worker of another machine on the same database is unlikely to have it.
      const { house } = await prepare(settings, storage, log, 1_023)
      try {
        return await work(house)
      } finally {
        await house.database.close()
      }
    } finally {
      await storage.close()
    }
  } finally {
    folder.release()
  }
}

function explain(body: unknown): string {
  const problem = body as { detail?: string; errors?: { message?: string; detail?: string }[] }
  return (
    problem.errors?.map((item) => item.message ?? item.detail ?? '').join(' ') ||
    (problem.detail ?? 'The request was refused.')
  )
}

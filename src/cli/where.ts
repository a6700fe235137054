import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Settings } from '../settings.ts'
import { runningInstance } from '../start/instance-lock.ts'
import { UsageError } from './command-line.ts'
import { knownInstances } from './server/known-instances.ts'

/** Whether a data folder has a database, or says where its database is. */
const hasData = ({ dataDir }: Settings): boolean => existsSync(path.join(dataDir, 'postgres'))

/** Refuses a data folder without data. Without this, a command in the wrong folder would create a second world. */
export async function requireData(settings: Settings): Promise<void> {
  if (settings.databaseUrl === '') {
    if (!hasData(settings)) throw new UsageError(await noData(settings))
  } else if (settings.secretKey === '' && !existsSync(path.join(settings.dataDir, 'secret.key'))) {
    throw new UsageError(
      `The key of the database is not in ${settings.dataDir}. Set ROSTRA_SECRET_KEY, or name the data folder of its server with --data-dir.`,
    )
  }
}

/** Refuses a folder without a running server. */
export async function noServer(settings: Settings): Promise<UsageError> {
  if (hasData(settings) || settings.databaseUrl !== '')
    return new UsageError(`No server is running on the data folder ${settings.dataDir}. \`rostra start\` starts it.`)
  return new UsageError(await noData(settings))
}

async function noData({ dataDir }: Settings): Promise<string> {
  const first = `There is no server and no data in ${dataDir}, and nothing was changed. \`rostra start\` starts one there; --data-dir names another folder.`
  const known = await describeKnown()
  return known.length === 0 ? first : [first, 'Known instances:', ...known].join('\n')
}

const MOST_SHOWN = 5

/** The known instances, one line each. */
export async function describeKnown(most = MOST_SHOWN): Promise<string[]> {
  const shown = knownInstances().slice(0, most)
  return Promise.all(
    shown.map(async ({ data_dir }) => {
      const running = await runningInstance(data_dir)
      return `  ${data_dir}  ${running?.base_url ?? (running ? 'starting' : 'not running')}`
    }),
  )
}

const isEmpty = (counts: unknown): boolean => Object.keys(counts as object).length === 0

/** Commands whose answer says that there was nothing to do. */
const NOTHING_DONE: Record<string, (answer: Record<string, unknown>) => boolean> = {
  'world.apply': ({ created, changed }) => isEmpty(created) && isEmpty(changed),
  'fault.clear': ({ cleared }) => cleared === 0,
  'stream.fault': ({ streams }) => streams === 0,
  // Whoever asks for a token gets one; the world is as it was.
  'user.token': () => true,
}

/** Whether a command that can change something has changed nothing this time, by its answer. */
export const changedNothing = (name: string, answer: Record<string, unknown>): boolean =>
  NOTHING_DONE[name]?.(answer) ?? false

/** Says on standard error where a change was made. */
export function sayWhere(settings: Settings, address?: string): void {
  const stored =
    settings.databaseUrl === '' ? `the data folder ${settings.dataDir}` : 'the PostgreSQL server of DATABASE_URL'
  console.error(
    address === undefined ? `Changed ${stored}; no server is running on it.` : `Changed ${address}, with ${stored}.`,
  )
}

import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Credentials } from '../../process/credentials.ts'
import { type OwnedProgram, startOwned } from '../../process/owned-program.ts'
import { outerEnvironment } from '../../settings.ts'
import type { WorldDatabases } from './databases.ts'

/** A world that answers. */
export interface OpenWorld {
  name: string
  control_url: string
  credentials: Credentials
}

/** The servers of the worlds, by name. */
export interface WorldServers {
  /** The world of a name; it is made when it is first asked for. */
  open(name: string): Promise<OpenWorld>
  /** Ends a world. Returns false when there is none with this name. */
  end(name: string): Promise<boolean>
  endAll(): Promise<void>
}

interface ServerOptions {
  databases: WorldDatabases
  folder: string
  secretKey: string
  /** Flags of `rostra start` for every world. */
  flags: string[]
}

type Ready = { credentials: string }
type Opening = Promise<{ world: OpenWorld; program: OwnedProgram<Ready> }>

const STOP_WITHIN_MS = 30_000
// One world serves the tests of one process, one after the other.
const SMALL = ['--workers', '1', '--database-connections', '5', '--cache-mb', '32']

export function createWorldServers({ databases, folder, secretKey, flags }: ServerOptions): WorldServers {
  const worlds = new Map<string, Opening>()
  let made = 0

  const start = async (name: string): Opening => {
    made += 1
    const dataDir = path.join(folder, `world-${made}`)
    mkdirSync(dataDir)
    const args = ['start', '--json', ...SMALL, ...flags, '--port', '0', '--data-dir', dataDir, '--temporary-data', 'on']
    // Not as flags: everybody on the machine can read those.
    const environment = {
      ...outerEnvironment(),
      DATABASE_URL: await databases.copy(),
      ROSTRA_SECRET_KEY: secretKey,
    }
    const program = await startOwned<Ready>(args, { environment, stopWithinMs: STOP_WITHIN_MS })
    const { listen_url } = JSON.parse(readFileSync(path.join(dataDir, 'instance.json'), 'utf8'))
    const credentials = JSON.parse(readFileSync(program.ready.credentials, 'utf8')) as Credentials
    return { world: { name, control_url: listen_url, credentials }, program }
  }

  const end = async (name: string) => {
    const opening = worlds.get(name)
    worlds.delete(name)
    const opened = await opening?.catch(() => undefined)
    await opened?.program.stop()
    return opening !== undefined
  }

  return {
    open: async (name) => {
      const known = worlds.get(name)
      if (known) return (await known).world
      const opening = start(name)
      worlds.set(name, opening)
      // The next call makes a new one instead of one that could not start or has ended.
      const forget = () => worlds.get(name) === opening && worlds.delete(name)
      opening.then(({ program }) => program.ended.then(forget), forget)
      return (await opening).world
    },
    end,
    endAll: async () => {
      await Promise.all([...worlds.keys()].map(end))
    },
  }
}

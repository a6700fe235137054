import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createControlClient } from './control-client.ts'
import { createController } from './controller.ts'
import { RostraStartError } from './errors.ts'
import type { ConnectOptions } from './options.ts'
import { ownDataDir } from './own-environment.ts'
import type { Credentials, Rostra } from './types.ts'
import { variablesOf } from './variables.ts'

/** The control of a server that runs already: on a data folder of this machine, or at an address. */
export async function connect(options: ConnectOptions = {}): Promise<Rostra> {
  if (options.url !== undefined) return connectTo(options.url.replace(/\/+$/, ''), options.adminKey)
  const dataDir = path.resolve(options.dataDir ?? ownDataDir())
  const instance = await readJson<{ listen_url?: string }>(path.join(dataDir, 'instance.json'))
  const credentials = await readJson<Credentials>(path.join(dataDir, 'credentials.json'))
  if (instance?.listen_url === undefined || credentials === undefined)
    throw new RostraStartError(
      `No server is running on the data folder ${dataDir}. Start one with \`npx rostra start\`, or name another folder with dataDir.`,
    )
  await readClock(instance.listen_url, credentials.admin_key)
  return createController({
    controlUrl: instance.listen_url,
    credentials,
    env: await variablesOf(credentials, dataDir),
  })
}

async function connectTo(url: string, adminKey: string): Promise<Rostra> {
  const client = createControlClient(url, adminKey)
  const credentials = await client.get<Credentials>('/_rostra/credentials').finally(() => client.close())
  return createController({ controlUrl: url, credentials, env: await variablesOf(credentials) })
}

/** Finds out now, not in the first test, whether the server answers and accepts the key. */
async function readClock(url: string, adminKey: string): Promise<void> {
  const client = createControlClient(url, adminKey)
  await client.post('/_rostra/commands/clock').finally(() => client.close())
}

async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T
  } catch {
    return undefined
  }
}

import { createControlClient } from './control-client.ts'
import { createController } from './controller.ts'
import type { ServerOptions } from './options.ts'
import { startOwned } from './owned-program.ts'
import { serverFlags } from './server-flags.ts'
import type { Credentials, Rostra } from './types.ts'
import { variablesOf } from './variables.ts'

/** Where worlds are made; it can be passed to other processes. */
export interface WorldsAddress {
  url: string
  key: string
}

/** Starts one PostgreSQL for a test run. Worlds are made from it when they are first used. All of it ends with this process. */
export async function startWorlds(
  options: ServerOptions = {},
): Promise<{ address: WorldsAddress; stop(): Promise<void> }> {
  const { env, startTimeout } = options
  const program = await startOwned<WorldsAddress>(['worlds', '--json', ...serverFlags(options)], { env, startTimeout })
  const { url, key } = program.ready
  return { address: { url, key }, stop: program.stop }
}

/** The control of the world with a name. Whoever asks for the same name gets the same world. */
export async function openWorld({ url, key }: WorldsAddress, name: string): Promise<Rostra> {
  const client = createControlClient(url, key)
  const path = `/worlds/${name}`
  const made = await client.post<{ control_url: string; credentials: Credentials }>(path).finally(() => client.close())
  const { control_url: controlUrl, credentials } = made
  return createController({ controlUrl, credentials, env: await variablesOf(credentials) })
}

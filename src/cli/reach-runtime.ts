import { adminKey } from '../control/admin-key.ts'
import { createSecretBox } from '../process/secret-box.ts'
import type { Settings } from '../settings.ts'
import { runningInstance } from '../start/instance-lock.ts'
import { readSecretKey } from '../start/secret-key.ts'
import { UsageError } from './command-line.ts'
import { explain } from './explain.ts'

/** Calls the control interface of the instance that runs on the data folder; undefined when none is running. */
export async function callRunning(
  settings: Settings,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<unknown> {
  const instance = await runningInstance(settings.dataDir)
  if (!instance?.listen_url) return undefined
  const answer = await fetch(`${instance.listen_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${adminKey(createSecretBox(readSecretKey(settings)))}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new UsageError(explain(JSON.parse(text)))
  return JSON.parse(text)
}

/** Runs a command of the control interface: in the running instance, or on the database of one that is not running. */
export async function runCommand(
  settings: Settings,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))
  const answered = await callRunning(settings, 'POST', `/_rostra/commands/${name}`, given)
  if (answered !== undefined) return answered as Record<string, unknown>
  // Loaded only here: a command that talks to a running instance starts five times faster without the whole product.
  const { runOffline } = await import('./run-offline.ts')
  return runOffline(settings, name, given)
}

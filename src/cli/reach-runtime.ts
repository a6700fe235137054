import http from 'node:http'
import { adminKey } from '../control/admin-key.ts'
import { onlyReads } from '../control/audit/only-reads.ts'
import { createSecretBox } from '../process/secret-box.ts'
import type { Settings } from '../settings.ts'
import { runningInstance } from '../start/instance-lock.ts'
import { readSecretKey } from '../start/secret-key.ts'
import { RefusedError } from './explain.ts'
import { loadProduct } from './load-product.ts'
import { changedNothing, requireData, sayWhere } from './where.ts'

type Facts = Record<string, unknown>

/** Calls the control interface of the instance that runs on the data folder; undefined when none is running. */
export async function callRunning(
  settings: Settings,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<unknown> {
  const instance = await runningInstance(settings.dataDir)
  if (!instance?.listen_url) return undefined
  const { status, text } = await send(`${instance.listen_url}${path}`, method, {
    key: adminKey(createSecretBox(readSecretKey(settings))),
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  if (status >= 400) throw new RefusedError(JSON.parse(text))
  const answer = JSON.parse(text)
  if (method === 'POST' && changes(path, body, answer)) sayWhere(settings, instance.base_url ?? instance.listen_url)
  return answer
}

const COMMANDS = '/_rostra/commands/'

function changes(path: string, body: unknown, answer: unknown): boolean {
  if (!path.startsWith(COMMANDS)) return true
  const name = path.slice(COMMANDS.length)
  return !onlyReads(name, (body ?? {}) as Facts) && !changedNothing(name, answer as Facts)
}

/** One request by node:http, which is loaded in a quarter of the time that fetch takes. */
function send(
  url: string,
  method: string,
  { key, body }: { key: string; body: string | undefined },
): Promise<{ status: number; text: string }> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode!, text }))
      answer.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
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
  await requireData(settings)
  const { runOffline } = await loadProduct(() => import('./run-offline.ts'))
  const result = await runOffline(settings, name, given)
  if (!onlyReads(name, given) && !changedNothing(name, result)) sayWhere(settings)
  return result
}

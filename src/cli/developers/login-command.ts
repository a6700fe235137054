import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { outerEnvironment } from '../../settings.ts'
import { runningInstance } from '../../start/instance-lock.ts'
import { type Call, type CliCommand, UsageError } from '../command-line.ts'
import { explain } from '../explain.ts'
import { readTime } from '../quantity.ts'
import { runCommand } from '../reach-runtime.ts'
import { noServer } from '../where.ts'
import { pairs } from '../words.ts'

const WAIT_MS = 300_000
const ALL_SCOPES =
  'post.read post.write post.moderate.write users.read users.email follows.read follows.write offline.access space.read mute.read mute.write like.read like.write list.read list.write block.read block.write bookmark.read bookmark.write dm.read dm.write media.write timeline.read broadcast.read broadcast.write'

interface App {
  id: string
  name: string
  client_id: string
  client_type: string
  callback_urls: string[]
}

export const loginCommand: CliCommand = {
  name: 'login',
  summary: 'Signs in with the browser, as users of an app do, and prints the OAuth 2.0 tokens.',
  flags: {
    app: { value: '<name or id>', help: 'the app; default: the oldest. It needs a callback address on this machine' },
    scopes: { value: '<scopes>', help: 'separated by spaces or commas; default: all' },
    'client-secret': { value: '<text>', help: 'of a confidential app that credentials.json does not list' },
    'no-browser': { help: 'only print the address; otherwise BROWSER names the program that opens it' },
    timeout: { value: '<time>', help: 'how long to wait for the answer, such as 90s; default 5m' },
  },
  run: async (call) => {
    const instance = await runningInstance(call.settings.dataDir)
    if (!instance?.base_url) throw await noServer(call.settings)
    const app = await findApp(call)
    const secret = secretOf(call, app)
    const receiver = await listenForCode(app)
    try {
      const verifier = randomBytes(32).toString('base64url')
      const state = randomBytes(16).toString('base64url')
      const address = authorizeAddress(instance.base_url, app, { receiver, verifier, state, scopes: scopesOf(call) })
      console.error(`Sign in at this address:\n${address}`)
      const { BROWSER: named } = outerEnvironment()
      if (!call.flags['no-browser'] && (process.stderr.isTTY || named)) openBrowser(address, named)
      const code = await receiver.code(state, readTime(call.flags.timeout, 'timeout') ?? WAIT_MS)
      const tokens = await exchange(instance.base_url, app, secret, { code, verifier, redirect: receiver.redirect })
      call.print(tokens, () => pairs(tokens))
    } finally {
      receiver.close()
    }
  },
}

const scopesOf = ({ flags: { scopes } }: Call): string =>
  typeof scopes === 'string' ? scopes.split(/[\s,]+/).join(' ') : ALL_SCOPES

async function findApp(call: Call): Promise<App> {
  const { apps } = (await runCommand(call.settings, 'app.list', {})) as unknown as { apps: App[] }
  const wanted = call.flags.app
  if (wanted === undefined && apps[0]) return apps[0]
  const name = String(wanted).toLowerCase()
  const found = apps.filter((app) => app.id === wanted || app.name.toLowerCase() === name)
  if (found.length === 1) return found[0]!
  if (found.length === 0)
    throw new UsageError(`There is no app ${wanted ?? 'yet'}. \`rostra app list\` lists the apps.`)
  throw new UsageError(`Several apps have the name ${wanted}. Use an id: ${found.map((app) => app.id).join(', ')}.`)
}

/** The client secret: it is stored hashed, so only credentials.json and the caller can have it. */
function secretOf({ settings, flags }: Call, app: App): string | undefined {
  if (app.client_type === 'public') return undefined
  if (typeof flags['client-secret'] === 'string') return flags['client-secret']
  const file = path.join(settings.dataDir, 'credentials.json')
  const { apps } = JSON.parse(readFileSync(file, 'utf8')) as { apps: { client_id: string; client_secret?: string }[] }
  const known = apps.find((item) => item.client_id === app.client_id)?.client_secret
  if (known) return known
  throw new UsageError(`credentials.json does not have the secret of the app ${app.name}. Add --client-secret.`)
}

/** Waits at a registered callback address for the browser to come back. */
interface Receiver {
  redirect: string
  code(state: string, withinMs: number): Promise<string>
  close(): void
}

async function listenForCode(app: App): Promise<Receiver> {
  const local = app.callback_urls.filter((url) => /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(url))
  for (const redirect of local) {
    const server = http.createServer()
    if (await listens(server, new URL(redirect))) return receiverOn(server, redirect)
  }
  const why =
    local.length === 0
      ? `The app ${app.name} has no callback address on this machine.`
      : `The ports of ${local.join(' and ')} are taken by other programs.`
  throw new UsageError(`${why} Add one: rostra app update ${app.id} --callback http://127.0.0.1:8910/callback`)
}

const listens = (server: http.Server, { hostname, port }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(Number(port) || 80, hostname.replace(/[[\]]/g, ''), () => resolve(true))
  })

function receiverOn(server: http.Server, redirect: string): Receiver {
  return {
    redirect,
    code: (state, withinMs) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          reject(new UsageError(`Nobody signed in within ${withinMs / 1_000} s.`))
        }, withinMs)
        server.on('request', (request, answer) => {
          const { pathname, searchParams } = new URL(request.url ?? '/', redirect)
          const isMeant = pathname === new URL(redirect).pathname && searchParams.get('state') === state
          const code = searchParams.get('code')
          answer.writeHead(isMeant ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
          answer.end(isMeant ? 'You can close this page and go back to the terminal.\n' : 'Not found.\n')
          if (!isMeant) return
          clearTimeout(late)
          if (code) resolve(code)
          else reject(new UsageError(`The app did not get access: ${searchParams.get('error') ?? 'there is no code'}.`))
        })
      }),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function authorizeAddress(
  baseUrl: string,
  app: App,
  { receiver, verifier, state, scopes }: { receiver: Receiver; verifier: string; state: string; scopes: string },
): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: receiver.redirect,
    scope: scopes,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return `${baseUrl}/i/oauth2/authorize?${query}`
}

async function exchange(
  baseUrl: string,
  app: App,
  secret: string | undefined,
  { code, verifier, redirect }: { code: string; verifier: string; redirect: string },
): Promise<Record<string, unknown>> {
  const basic = Buffer.from(`${app.client_id}:${secret}`).toString('base64')
  const answer = await fetch(`${baseUrl}/2/oauth2/token`, {
    method: 'POST',
    headers: secret === undefined ? {} : { authorization: `Basic ${basic}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirect,
      code_verifier: verifier,
      client_id: app.client_id,
    }),
  })
  const body = (await answer.json()) as Record<string, unknown>
  if (!answer.ok) throw new UsageError(String(body.error_description ?? explain(body)))
  return body
}

/** Opens the address in the usual browser. Without one, the printed address remains. */
/** The command that opens an address: the first of BROWSER, with the address at `%s` or at the end, or that of the system. */
export function browserCommand(address: string, platform: string, named = ''): string[] {
  const [first = ''] = named.split(platform === 'win32' ? ';' : ':')
  const words = first.split(' ').filter((word) => word !== '')
  if (words.length > 0)
    return first.includes('%s') ? words.map((word) => word.replaceAll('%s', () => address)) : [...words, address]
  if (platform === 'darwin') return ['open', address]
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler', address] : ['xdg-open', address]
}

function openBrowser(address: string, named: string | undefined): void {
  const [program, ...args] = browserCommand(address, process.platform, named)
  const child = spawn(program!, args, { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

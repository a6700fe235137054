import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { isLocalRequest } from '../api-kit/serving/local-request.ts'
import { cookieName } from '../identity/sign-in/browser.ts'
import { realNow } from '../process/clock.ts'
import { digest, randomText, type SecretBox, sameText } from '../process/secret-box.ts'
import type { Db } from '../storage/database.ts'
import { readFact } from '../storage/instance-facts.ts'
import { statement } from '../storage/statement.ts'

/** Scripts of other sites cannot send it without asking first, which is refused. */
export const CONSOLE_HEADER = 'x-rostra-console'
const COOKIE = 'rostra_console'
const SESSION_LIFE_S = 30 * 24 * 3600

const CODES_USED = 'console_codes_used'

/** Whether a request can reach the console at all: where the setting is not on, only from this machine and by its name. */
export function hasConsole(request: RequestFacts, { console }: Pick<Runtime, 'console'>): boolean {
  return console === 'on' || (console === 'local' && isLocalRequest(request))
}

/** Derived from how many were used, so every process knows the code that works now, and the database does not have it. */
const codeAt = (secretBox: SecretBox, used: string): string => secretBox.sign(`console code ${used}`)

/** The address that signs a browser in to the console, once. Undefined where there is no console. */
export async function consoleUrl(runtime: Runtime): Promise<string | undefined> {
  if (runtime.console === 'off') return undefined
  const used = (await readFact(runtime.database, CODES_USED)) ?? '0'
  return `${runtime.baseUrl}/_rostra/console?code=${codeAt(runtime.secretBox, used)}`
}

const useCode = statement(
  'console_code_use',
  {},
  `insert into instance_fact (name, value) values ($1, $3) on conflict (name) do update set value = excluded.value
    where instance_fact.value = $2`,
)
const sessionAdd = statement(
  'console_session_add',
  {},
  'insert into console_session (token_hash, created_at, expires_at) values ($1, $2, $3)',
)
const sessionFind = statement(
  'console_session_find',
  { found: 'bool' },
  'select exists (select from console_session where token_hash = $1 and expires_at > $2) as found',
)
const sessionRemove = statement('console_session_remove', {}, 'delete from console_session where token_hash = $1')
const sessionsExpire = statement('console_sessions_expire', {}, 'delete from console_session where expires_at < $1')

/** Exchanges a code for the cookie of a new session. Undefined if the code is wrong or was used. */
export async function startConsoleSession(
  request: RequestFacts,
  runtime: Runtime,
  code: string,
): Promise<string | undefined> {
  const { database, secretBox } = runtime
  const used = (await readFact(database, CODES_USED)) ?? '0'
  if (!sameText(code, codeAt(secretBox, used))) return undefined
  // Of two browsers with one code, one gets a session.
  if ((await useCode.count(database, CODES_USED, used, String(Number(used) + 1))) === 0) return undefined
  const token = randomText(40)
  const now = realNow()
  await sessionsExpire.count(database, new Date(now))
  await sessionAdd.count(database, digest(token), new Date(now), new Date(now + SESSION_LIFE_S * 1_000))
  // credentials.json gets the next one.
  runtime.bus.wake('credentials')
  return cookieLine(request, token, SESSION_LIFE_S)
}

/** Ends the session of a browser; returns the cookie that clears the old one. */
export async function endConsoleSession(request: RequestFacts, { database }: { database: Db }): Promise<string> {
  const token = readToken(request)
  if (token !== undefined) await sessionRemove.count(database, digest(token))
  return cookieLine(request, '', 0)
}

/** Whether a request comes from the console in a browser that is signed in. */
export async function hasConsoleSession(request: RequestFacts, runtime: Runtime): Promise<boolean> {
  if (!hasConsole(request, runtime) || !isFromConsole(request)) return false
  const token = readToken(request)
  return token !== undefined && (await sessionFind.first(runtime.database, digest(token), new Date(realNow())))!.found
}

/** Whether a script of the console sent the request: other pages cannot set the header, and browsers say where they are. */
export function isFromConsole({ headers }: RequestFacts): boolean {
  if (headers[CONSOLE_HEADER] !== '1') return false
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (headers.origin === undefined) return true
  const origin = String(headers.origin)
  return URL.canParse(origin) && new URL(origin).host === headers.host
}

const isSecure = ({ url }: RequestFacts): boolean => url.startsWith('https:')

function readToken(request: RequestFacts): string | undefined {
  const name = cookieName(COOKIE, { secure: isSecure(request) })
  for (const part of String(request.headers.cookie ?? '').split(';')) {
    const cut = part.indexOf('=')
    if (cut > 0 && part.slice(0, cut).trim() === name) return part.slice(cut + 1).trim()
  }
  return undefined
}

function cookieLine(request: RequestFacts, value: string, maxAgeS: number): string {
  const secure = isSecure(request)
  return `${cookieName(COOKIE, { secure })}=${value}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}; Max-Age=${maxAgeS}`
}

import path from 'node:path'
import { parseArgs } from 'node:util'
import type { PriceTable } from './api-kit/limits/price-table.ts'
import { isLoopback, isNatsAddress } from './process/addresses.ts'
import { RULES, type Settings } from './setting-rules.ts'
import { PriceTableError, readPriceTable } from './social/usage/read-price-table.ts'

export type { Settings } from './setting-rules.ts'

/** A setting or flag that cannot be used; the message is for people. */
export class SettingError extends Error {}

type Raw = { [K in keyof Settings]: string }
const keys = Object.keys(RULES) as (keyof Settings)[]

/** The flag of each setting. The help has its meaning, default and environment names. */
export const settingFlags: Record<string, { value: string; help: string }> = Object.fromEntries(
  keys.map((key) => {
    const { flag, value, fallback, help, env } = RULES[key]
    const initially = fallback === '' ? '' : ` (default ${fallback})`
    return [flag, { value, help: `${help}${initially}; environment ${env.join(' or ')}` }]
  }),
)

/** Reads settings from flags, then environment, then defaults; refuses unknown flags and unusable values. */
export function readSettings(argv: string[], environment: NodeJS.ProcessEnv = process.env): Settings {
  const flags = parseFlags(argv)
  const raw = {} as Raw
  for (const key of keys) {
    const rule = RULES[key]
    const fromEnvironment = rule.env.map((name) => environment[name]).find((text) => text !== undefined && text !== '')
    raw[key] = flags[rule.flag] ?? fromEnvironment ?? rule.fallback
  }
  return checked(raw)
}

function parseFlags(argv: string[]): Record<string, string | undefined> {
  const options = Object.fromEntries(Object.keys(settingFlags).map((flag) => [flag, { type: 'string' as const }]))
  try {
    return parseArgs({ args: argv, options, allowPositionals: false }).values as Record<string, string | undefined>
  } catch (error) {
    throw new SettingError(
      `${(error as Error).message.split('. To specify')[0]}. \`rostra start --help\` lists the settings.`,
    )
  }
}

function checked(raw: Raw): Settings {
  const host = raw.host
  const port = wholeNumber('port', raw.port, 0, 65_535)
  // Several processes would take turns in an order that depends on the machine.
  const workers = raw.deterministic === '' ? wholeNumber('workers', raw.workers, 1, 256) : 1
  return {
    port,
    host,
    namesPort: raw.namesPort === '' ? undefined : wholeNumber('namesPort', raw.namesPort, 1, 65_535),
    dataDir: path.resolve(raw.dataDir),
    temporaryData: oneOf('temporaryData', raw.temporaryData, ['on', 'off']),
    publicUrl: publicUrl(raw.publicUrl),
    databaseUrl: databaseUrl(raw.databaseUrl),
    natsUrl: natsUrl(raw.natsUrl),
    workers,
    databaseConnections: connectionCount(raw.databaseConnections, workers),
    rateLimits: oneOf('rateLimits', raw.rateLimits, ['on', 'off']),
    naming: oneOf('naming', raw.naming, ['auto', 'neutral', 'legacy']),
    strict: oneOf('strict', raw.strict, ['on', 'off']),
    usage: oneOf('usage', raw.usage, ['on', 'off']),
    priceTable: priceTable(raw.priceTable),
    cacheMb: wholeNumber('cacheMb', raw.cacheMb, 1, 65_536),
    requestLog: wholeNumber('requestLog', raw.requestLog, 0, 100_000),
    privateWebhooks:
      raw.privateWebhooks === 'auto'
        ? isLoopback(host)
          ? 'on'
          : 'off'
        : oneOf('privateWebhooks', raw.privateWebhooks, ['on', 'off']),
    devSignIn: devSignIn(raw),
    linkHost: /^$|^own$|^[a-z0-9][a-z0-9.-]{0,252}(:\d{1,5})?$/.test(raw.linkHost)
      ? raw.linkHost
      : refuse('linkHost', raw.linkHost, 'a host name in lower case, such as go.example.org, or own'),
    registration: registration(raw),
    console: consoleAccess(raw),
    trustProxy: proxyCount(raw.trustProxy),
    secretKey:
      raw.secretKey === '' || /^[0-9a-f]{64}$/i.test(raw.secretKey)
        ? raw.secretKey
        : refuse('secretKey', '(hidden)', '64 hex digits'),
    deterministic:
      raw.deterministic.length <= 100
        ? raw.deterministic
        : refuse('deterministic', raw.deterministic, 'at most 100 characters'),
    logLevel: oneOf('logLevel', raw.logLevel, ['fatal', 'error', 'warn', 'info', 'debug']),
    world: worldOf(raw.world),
  }
}

function priceTable(file: string): PriceTable {
  try {
    return readPriceTable(file)
  } catch (error) {
    if (!(error instanceof PriceTableError)) throw error
    return refuse('priceTable', file, `a price table: ${error.message}`)
  }
}

/** The address that clients use: the public URL, or where the server listens. */
export function baseUrl(settings: Settings): string {
  if (settings.publicUrl !== '') return settings.publicUrl
  const shown =
    settings.host === '0.0.0.0' || settings.host === '::' || isLoopback(settings.host) ? 'localhost' : settings.host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${settings.port}`
}

function wholeNumber(key: keyof Settings, text: string, min: number, max: number): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < min || number > max) refuse(key, text, `a whole number from ${min} to ${max}`)
  return number
}

// PostgreSQL allows 100 connections by default; some are left for other programs.
function connectionCount(text: string, workers: number): number {
  if (text === 'auto') return Math.max(3, Math.min(20, Math.floor(80 / workers)))
  return wholeNumber('databaseConnections', text, 2, 500)
}

/** Whether nobody else can connect: the server is not on another address, and not behind a proxy, which listens elsewhere. */
function isOnlyLocal({ host, publicUrl: address, trustProxy }: Raw): boolean {
  const isPublic =
    address !== '' && URL.canParse(address) && !isLoopback(new URL(address).hostname.replace(/[[\]]/g, ''))
  return isLoopback(host) && !isPublic && proxyCount(trustProxy) === 0
}

/** Open only where nobody else can connect: an operator of an open server has to decide. */
function registration(raw: Raw): Settings['registration'] {
  if (raw.registration === 'auto') return isOnlyLocal(raw) ? 'open' : 'closed'
  return oneOf('registration', raw.registration, ['open', 'invitation', 'closed'])
}

function consoleAccess(raw: Raw): Settings['console'] {
  const wanted = oneOf('console', raw.console, ['auto', 'on', 'off'])
  return wanted === 'auto' ? (isOnlyLocal(raw) ? 'local' : 'off') : wanted
}

function devSignIn(raw: Raw): 'on' | 'off' {
  const text = raw.devSignIn
  const isAllowed = isOnlyLocal(raw)
  if (text === 'auto') return isAllowed ? 'on' : 'off'
  const wanted = oneOf('devSignIn', text, ['on', 'off'])
  if (wanted === 'on' && !isAllowed)
    return refuse('devSignIn', text, 'off, because the server can be reached from other machines')
  return wanted
}

function proxyCount(text: string): number {
  if (text === 'on' || text === 'off') return text === 'on' ? 1 : 0
  return /^\d{1,2}$/.test(text) ? Number(text) : refuse('trustProxy', text, 'on, off or how many proxies there are')
}

function oneOf<const T extends string>(key: keyof Settings, text: string, allowed: readonly T[]): T {
  return (allowed as readonly string[]).includes(text) ? (text as T) : refuse(key, text, allowed.join(' or '))
}

/** A relative path is one in the folder of the call. */
const worldOf = (text: string): string => (text === 'first' || text === 'empty' ? text : path.resolve(text))

function publicUrl(text: string): string {
  if (text === '') return ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    return refuse('publicUrl', text, 'an http or https address')
  return text.replace(/\/+$/, '')
}

function databaseUrl(text: string): string {
  if (text === '' || /^postgres(ql)?:\/\//.test(text)) return text
  return refuse('databaseUrl', '(hidden)', 'an address that begins with postgres://')
}

function natsUrl(text: string): string {
  return text === '' || text.split(',').every((part) => isNatsAddress(part.trim()))
    ? text
    : refuse('natsUrl', '(hidden)', 'an address that begins with nats:// or tls://, or several separated by commas')
}

function refuse(key: keyof Settings, text: string, allowed: string): never {
  const rule = RULES[key]
  throw new SettingError(`--${rule.flag} (${rule.env.join(', ')}) is ${JSON.stringify(text)}, but must be ${allowed}.`)
}

/** The environment that this process was started in, for the programs that it starts. */
export const outerEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env })

/** The file descriptor of the process that owns this server; see `start/owner.ts`. */
export function ownerDescriptor(environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const given = environment.ROSTRA_OWNER_FD
  return given !== undefined && /^\d{1,4}$/.test(given) ? Number(given) : undefined
}

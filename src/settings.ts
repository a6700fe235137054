import { availableParallelism } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { PriceTable } from './api-kit/limits/price-table.ts'
import { isLoopback, isNatsAddress } from './process/addresses.ts'
import { PriceTableError, readPriceTable } from './social/usage/read-price-table.ts'

/** Every setting. `rostra start --help` is made from the table below. */
export interface Settings {
  port: number
  host: string
  /** Where the platform's names are served over TLS, if they are. */
  namesPort: number | undefined
  dataDir: string
  /** Whether the data folder is removed when the server stops. */
  temporaryData: 'on' | 'off'
  publicUrl: string
  databaseUrl: string
  natsUrl: string
  workers: number
  databaseConnections: number
  rateLimits: 'on' | 'off'
  /** The naming of requests that use neither spelling. */
  naming: 'auto' | 'neutral' | 'legacy'
  /** Whether advertising refuses parameters that an operation does not know, instead of ignoring them. */
  strict: 'on' | 'off'
  /** Whether the objects that reads return are counted, with caps, costs and budgets. */
  usage: 'on' | 'off'
  priceTable: PriceTable
  cacheMb: number
  requestLog: number
  privateWebhooks: 'on' | 'off'
  /** Whether the sign-in page offers users to click. */
  devSignIn: 'on' | 'off'
  /** How many proxies in front are trusted. */
  trustProxy: number
  secretKey: string
  logLevel: string
  /** The seed that fixes ids, times and tokens; empty where they are not fixed. */
  deterministic: string
  /** `first`, `empty`, or the path of a world file. */
  world: string
}

interface SettingRule {
  flag: string
  env: string[]
  value: string
  fallback: string
  help: string
  secret?: boolean
}

const RULES: { [K in keyof Settings]: SettingRule } = {
  port: {
    flag: 'port',
    env: ['ROSTRA_PORT', 'PORT'],
    value: '<number>',
    fallback: '8080',
    help: 'port to listen on; 0 takes a free one',
  },
  host: {
    flag: 'host',
    env: ['ROSTRA_HOST'],
    value: '<address>',
    fallback: 'localhost',
    help: 'address to listen on; 0.0.0.0 for every interface',
  },
  namesPort: {
    flag: 'names-port',
    env: ['ROSTRA_NAMES_PORT'],
    value: '<number>',
    fallback: '',
    help: "also serve the platform's names over TLS on this port, usually 443, for hosts files and aliases of containers; `rostra hosts` says what else is needed",
  },
  dataDir: {
    flag: 'data-dir',
    env: ['ROSTRA_DATA_DIR'],
    value: '<folder>',
    fallback: 'data',
    help: 'folder of the embedded database, the key and credentials.json',
  },
  temporaryData: {
    flag: 'temporary-data',
    env: ['ROSTRA_TEMPORARY_DATA'],
    value: 'on|off',
    fallback: 'off',
    help: 'remove the data folder when the server stops; the embedded database does not wait for the disk, so a power cut loses it',
  },
  publicUrl: {
    flag: 'public-url',
    env: ['ROSTRA_PUBLIC_URL'],
    value: '<url>',
    fallback: '',
    help: 'the address that clients use, when it differs (proxy, path prefix); default http://localhost:<port>',
  },
  databaseUrl: {
    flag: 'database-url',
    env: ['DATABASE_URL'],
    value: '<url>',
    fallback: '',
    help: 'use this PostgreSQL (15 or newer) instead of the embedded one',
    secret: true,
  },
  natsUrl: {
    flag: 'nats-url',
    env: ['NATS_URL'],
    value: '<url>',
    fallback: '',
    help: 'carry events between machines that share a database through this NATS; nats:// or tls://, several separated by commas',
    secret: true,
  },
  workers: {
    flag: 'workers',
    env: ['ROSTRA_WORKERS'],
    value: '<number>',
    fallback: String(availableParallelism()),
    help: 'API worker processes; default one per core',
  },
  databaseConnections: {
    flag: 'database-connections',
    env: ['ROSTRA_DATABASE_CONNECTIONS'],
    value: '<number>',
    fallback: 'auto',
    help: 'database connections of each worker; auto: 20, fewer where many workers share the database',
  },
  rateLimits: {
    flag: 'rate-limits',
    env: ['ROSTRA_RATE_LIMITS'],
    value: 'on|off',
    fallback: 'on',
    help: 'count requests and refuse those that exceed the limits',
  },
  naming: {
    flag: 'naming',
    env: ['ROSTRA_NAMING'],
    value: 'auto|neutral|legacy',
    fallback: 'auto',
    help: 'words of answers to requests that name neither spelling; auto: neutral, or legacy at host names of the platform and for OAuth 2.0 tokens that were asked for in legacy words',
  },
  strict: {
    flag: 'strict',
    env: ['ROSTRA_STRICT'],
    value: 'on|off',
    fallback: 'off',
    help: 'refuse advertising parameters that an operation does not know, which finds typing errors; off ignores them, as the platform does, and notes them in the request log',
  },
  usage: {
    flag: 'usage',
    env: ['ROSTRA_USAGE'],
    value: 'on|off',
    fallback: 'on',
    help: 'count the posts that reads return and what requests cost, and refuse them when a cap or budget is used up',
  },
  priceTable: {
    flag: 'price-table',
    env: ['ROSTRA_PRICE_TABLE'],
    value: '<file>',
    fallback: '',
    help: 'a JSON file with the prices of objects and operations; docs/operating.md describes it and has the default',
  },
  cacheMb: {
    flag: 'cache-mb',
    env: ['ROSTRA_CACHE_MB'],
    value: '<number>',
    fallback: '128',
    help: 'memory bound of the object cache of each worker',
  },
  requestLog: {
    flag: 'request-log',
    env: ['ROSTRA_REQUEST_LOG'],
    value: '<number>',
    fallback: '500',
    help: 'requests kept per app for /_rostra/requests and `rostra log`',
  },
  privateWebhooks: {
    flag: 'private-webhooks',
    env: ['ROSTRA_PRIVATE_WEBHOOKS'],
    value: 'on|off',
    fallback: 'auto',
    help: 'allow webhooks on plain http, ports and private addresses; default on when listening on loopback',
  },
  devSignIn: {
    flag: 'dev-sign-in',
    env: ['ROSTRA_DEV_SIGN_IN'],
    value: 'on|off',
    fallback: 'auto',
    help: 'let people on this machine sign in with a click on a user, without a password; default on when listening on loopback, not possible elsewhere',
  },
  trustProxy: {
    flag: 'trust-proxy',
    env: ['ROSTRA_TRUST_PROXY'],
    value: 'on|off|<number>',
    fallback: 'off',
    help: 'trust the headers X-Forwarded-Proto, -Host and -For of the proxy in front, which wrote the last entry; a number for that many proxies in a chain; on is 1',
  },
  secretKey: {
    flag: 'secret-key',
    env: ['ROSTRA_SECRET_KEY'],
    value: '<64 hex digits>',
    fallback: '',
    help: 'key that encrypts stored secrets; default: a file in the data folder',
    secret: true,
  },
  deterministic: {
    flag: 'deterministic',
    env: ['ROSTRA_DETERMINISTIC'],
    value: '<seed>',
    fallback: '',
    help: 'for tests: fixes ids, times, keys and tokens, so the same requests get the same answers in every run; one worker, the clock stands still, and secrets can be guessed',
  },
  logLevel: {
    flag: 'log-level',
    env: ['ROSTRA_LOG_LEVEL'],
    value: 'fatal|error|warn|info|debug',
    fallback: 'warn',
    help: 'how much is logged to standard error',
  },
  world: {
    flag: 'world',
    env: ['ROSTRA_WORLD'],
    value: 'first|empty|<file>',
    fallback: 'first',
    help: 'what a new database gets, and what a reset restores: a small first world, only the first app and users, or what a world file describes',
  },
}

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

/** Only where nobody else can connect: not on other addresses, and not behind a proxy, which listens elsewhere. */
function devSignIn({ devSignIn: text, host, publicUrl: address, trustProxy }: Raw): 'on' | 'off' {
  const isPublic =
    address !== '' && URL.canParse(address) && !isLoopback(new URL(address).hostname.replace(/[[\]]/g, ''))
  const isAllowed = isLoopback(host) && !isPublic && proxyCount(trustProxy) === 0
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

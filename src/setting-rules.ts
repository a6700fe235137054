import { availableParallelism } from 'node:os'
import type { PriceTable } from './api-kit/limits/price-table.ts'

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
  /** The host that short links are written with; `own` for our own address, empty for the host of the platform. */
  linkHost: string
  /** Who may create an account on the registration page. */
  registration: 'open' | 'invitation' | 'closed'
  /** Who can reach the console: nobody, requests from this machine, or whoever has its link. */
  console: 'off' | 'local' | 'on'
  /** How many proxies in front are trusted. */
  trustProxy: number
  secretKey: string
  logLevel: string
  /** The seed that fixes ids, times and tokens; empty where they are not fixed. */
  deterministic: string
  /** `first`, `empty`, or the path of a world file. */
  world: string
}

/** A flag with its environment names, default and help. */
interface SettingRule {
  flag: string
  env: string[]
  value: string
  fallback: string
  help: string
  secret?: boolean
}

export const RULES: { [K in keyof Settings]: SettingRule } = {
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
  linkHost: {
    flag: 'link-host',
    env: ['ROSTRA_LINK_HOST'],
    value: '<host>',
    fallback: '',
    help: 'host of the short links in new posts, which must lead to this server; `own` writes them on its own address; default the host that clients of the platform expect',
  },
  registration: {
    flag: 'registration',
    env: ['ROSTRA_REGISTRATION'],
    value: 'open|invitation|closed',
    fallback: 'auto',
    help: 'who can register at /i/register: everybody, holders of an invitation (`rostra invitation create`), or nobody; default open when listening on loopback, else closed',
  },
  console: {
    flag: 'console',
    env: ['ROSTRA_CONSOLE'],
    value: 'auto|on|off',
    fallback: 'auto',
    help: 'serve the console at /_rostra/console to browsers that open the link printed at the start; auto: only when listening on loopback, and then only to this machine',
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

import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { linesWith, sourceFiles } from './source-files.ts'

const code = sourceFiles('.ts', '.tsx')
const all = sourceFiles('.ts', '.tsx', '.sql', '.css')

// Foundations import nothing of the product; each further folder lists what it may import.
const FOUNDATIONS = ['api-kit', 'storage', 'process']
const PRODUCT = [
  'identity',
  'events',
  'social',
  'search',
  'ads',
  'webhooks',
  'streams',
  'activity',
  'account-activity',
  'v1-calls',
]
const MAY_IMPORT: Record<string, readonly string[]> = {
  process: [],
  storage: ['process'],
  'api-kit': ['storage', 'process'],
  'legacy-words.ts': ['api-kit'],
  'setting-rules.ts': ['api-kit'],
  'settings.ts': ['api-kit', 'process', 'setting-rules.ts', 'social'],
  identity: [...FOUNDATIONS, 'legacy-words.ts', 'events'],
  events: [...FOUNDATIONS],
  search: [...FOUNDATIONS],
  social: [...FOUNDATIONS, 'legacy-words.ts', 'identity', 'events', 'search'],
  ads: [...FOUNDATIONS, 'legacy-words.ts', 'identity', 'events', 'social', 'search'],
  webhooks: [...FOUNDATIONS, 'legacy-words.ts', 'identity', 'events', 'social'],
  streams: [...FOUNDATIONS, 'legacy-words.ts', 'identity', 'events', 'social', 'search', 'webhooks'],
  activity: [...FOUNDATIONS, 'legacy-words.ts', 'identity', 'events', 'social', 'search', 'webhooks', 'streams'],
  'account-activity': [...FOUNDATIONS, 'legacy-words.ts', 'identity', 'events', 'social', 'webhooks'],
  faults: [...FOUNDATIONS, 'legacy-words.ts', 'identity', 'social', 'v1-calls', 'streams', 'ads'],
  'v1-calls': [...FOUNDATIONS, 'legacy-words.ts', 'identity', 'social'],
  pages: [...FOUNDATIONS, ...PRODUCT, 'legacy-words.ts', 'settings.ts'],
  console: [...FOUNDATIONS, ...PRODUCT, 'pages', 'population', 'control'],
  world: [...FOUNDATIONS, ...PRODUCT, 'legacy-words.ts', 'settings.ts'],
  population: [...FOUNDATIONS, ...PRODUCT, 'world'],
  control: [...FOUNDATIONS, ...PRODUCT, 'population', 'world', 'legacy-words.ts', 'settings.ts'],
  mcp: [...FOUNDATIONS, 'ads', 'identity', 'control', 'legacy-words.ts'],
  'app.ts': [
    ...FOUNDATIONS,
    ...PRODUCT,
    'control',
    'console',
    'faults',
    'legacy-words.ts',
    'mcp',
    'pages',
    'population',
    'settings.ts',
    'world',
  ],
  front: [...FOUNDATIONS, 'legacy-words.ts', 'settings.ts'],
  start: [...FOUNDATIONS, ...PRODUCT, 'app.ts', 'control', 'front', 'legacy-words.ts', 'settings.ts', 'world'],
  cli: [
    ...FOUNDATIONS,
    'identity',
    'app.ts',
    'control',
    'front',
    'legacy-words.ts',
    'settings.ts',
    'start',
    'testing',
    'world',
  ],
  // Only types, which the next test checks: none of it is in a bundle.
  browser: [...FOUNDATIONS, ...PRODUCT, 'console', 'control', 'pages', 'start', 'world'],
  testing: ['front', 'identity', 'process'],
  'main.ts': ['cli', 'process', 'settings.ts', 'start'],
}

interface Import {
  from: string
  to: string
  file: string
}

const folderOf = (name: string) => name.split('/')[0]!

const imports: Import[] = code.flatMap((file) =>
  [...file.text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map((hit) => {
    const target = path.posix.join(path.posix.dirname(file.name), hit[1]!)
    return { from: folderOf(file.name), to: folderOf(target), file: `${file.name} imports ${target}` }
  }),
)

describe('imports', () => {
  test('are found', () => {
    expect(imports.length).toBeGreaterThan(400)
    expect(imports.filter((item) => item.to === '..')).toEqual([])
  })

  test('come from folders that are in the table', () => {
    const folders = new Set(code.map((file) => folderOf(file.name)))
    expect([...folders].filter((folder) => !MAY_IMPORT[folder])).toEqual([])
  })

  test('keep to what each folder may import', () => {
    const crossings = imports.filter((item) => item.from !== item.to && !MAY_IMPORT[item.from]?.includes(item.to))
    expect(crossings.map((item) => item.file)).toEqual([])
  })

  test('of code that runs in browsers are only of types, where they lead to the server', () => {
    const values = code
      .filter((file) => folderOf(file.name) === 'browser')
      .flatMap((file) =>
        [...file.text.matchAll(/^(?:import|export)\b(?! type\b)[^'"]*['"](\.[^'"]+)['"]/gm)]
          .map((hit) => path.posix.join(path.posix.dirname(file.name), hit[1]!))
          .filter((target) => folderOf(target) !== 'browser')
          .map((target) => `${file.name} imports ${target}`),
      )
    expect(values).toEqual([])
  })

  test('name files with their ending', () => {
    expect(imports.filter((item) => !/\.(tsx?|js|json|css)$/.test(item.file)).map((item) => item.file)).toEqual([])
  })
})

test('the environment is read only in settings.ts', () => {
  const reads = linesWith(code, /\bprocess\.env\b|\bfrom 'node:process'/, {
    'settings.ts': 'the one reader',
    'testing/own-environment.ts': 'the kit runs in programs of its users, and starts servers from them',
  })
  expect(reads).toEqual([])
})

describe('time', () => {
  // performance.now() measures how long something took and is not product time.
  const EXCEPTIONS = { 'process/clock.ts': 'the only reader of real time' }
  const SQL_EXCEPTIONS = {
    'storage/migrate.ts': 'when a migration ran is a fact about the machine, not of the product',
    'world/snapshots/restore-function.ts': 'when a restore was interrupted, which other machines may read',
    'world/snapshots/restore-snapshot.ts': 'how long ago that was, by the same clock',
  }

  test('is read only from the clock in code', () => {
    // What runs in a browser has only the time of the browser.
    const ofServer = code.filter((file) => !file.name.startsWith('browser/'))
    expect(
      linesWith(ofServer, /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\()|(?<!new )\bDate\(\s*\)/, EXCEPTIONS),
    ).toEqual([])
  })

  test('is never asked of PostgreSQL', () => {
    // In code, what follows a dot or is declared as a method is not SQL.
    const sql =
      /(?<![.\w])now\(\)(?!\s*:)|\b(?:current_timestamp|current_date|localtimestamp|clock_timestamp|statement_timestamp|transaction_timestamp)\b/i
    expect(linesWith(all, sql, { ...SQL_EXCEPTIONS, ...EXCEPTIONS })).toEqual([])
  })
})

test('what a client can see is drawn from process/random.ts, which deterministic mode seeds', () => {
  const OWN_RANDOM: Record<string, string> = {
    'process/random.ts': 'the source',
    'process/secret-box.ts': 'the nonce of what is stored encrypted',
    'api-kit/serving/serve-request.ts': 'where the transaction ids of a process begin, without a seed',
    'world/snapshots/store-snapshot.ts': 'the name of a schema',
    'start/secret-key.ts': 'the key of a new installation without a seed',
    'start/supervisor.ts': 'a free port',
    'events/machine-invalidations.ts': 'tells processes apart',
    'storage/embedded/windows.ts': 'the password of the database',
    'streams/connection-rows.ts': 'tells processes apart',
    'front/certificate.ts': 'names of certificates',
    'front/isolate.ts': 'a free address',
    'cli/developers/login-command.ts': 'the state and verifier of a client',
  }
  const random =
    /\bMath\.random\b|\b(?:randomBytes|randomUUID|randomInt|randomFill|randomFillSync|getRandomValues)\b[^}]*\} from 'node:crypto'/
  const found = code.filter((file) => random.test(file.text)).map((file) => file.name)
  expect(found.filter((name) => !(name in OWN_RANDOM))).toEqual([])
  expect(Object.keys(OWN_RANDOM).filter((name) => !found.includes(name))).toEqual([])
})

test('no file is longer than 400 lines', () => {
  const LONG: Record<string, string> = {}
  const long = all.filter((file) => file.lines.length > 400 && !(file.name in LONG))
  expect(long.map((file) => `${file.name}: ${file.lines.length}`)).toEqual([])
})

test('the legacy words stand only in legacy-words.ts', () => {
  const words = /tweet|twitter|(?<![\w-])t\.co(?![\w])|(?<![\w-])x\.com(?![\w])/i
  const excepted = { 'legacy-words.ts': 'the table of the words' }
  expect(linesWith(all, words, excepted)).toEqual([])
  expect(linesWith(all, words).length).toBeGreaterThan(5)
})

test('no folder or file has an empty name such as utils', () => {
  const empty = /(^|[/-])(utils?|helpers?|common|services?|manager|misc)([/.-]|$)/
  expect(all.filter((file) => empty.test(file.name)).map((file) => file.name)).toEqual([])
})

test('the sources use the words of the glossary, not those from before it', () => {
  const words = /house(?!keep)|switchboard|sealer|nudge|surroundings|crew|can not/i
  // Migrations are frozen, and data has names of the world, such as music and shows.
  const files = all.filter((file) => !/^storage\/migrations\/|\.data\.ts$/.test(file.name))
  // The reference has this sentence letter for letter.
  const QUOTED = 'query parameter can not be empty'
  expect(linesWith(files, words).filter((line) => !line.includes(QUOTED))).toEqual([])
})

// `npm run test:mutation [-- area ...]`: changes the code of an area in thousands of small ways and counts the changes that no
// test notices. MUTATION_SAMPLE=10 tests ten percent of the changes, chosen by MUTATION_SEED: its score is an estimate.
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import pg from 'pg'
import { createServer } from 'vite'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
process.chdir(root)

/** Least score of an area. */
const LEAST = 80

/** Percent of the changes that are tested, and what chooses them. */
const SAMPLE = process.env.MUTATION_SAMPLE ?? '100'
const SEED = process.env.MUTATION_SEED ?? '1'

/** What is changed, and the tests that are to notice, cheap ones first. */
const AREAS = {
  search: [
    'tests/search/parse-query.test.ts',
    'tests/search/tokenize.test.ts',
    'tests/search/find-words.test.ts',
    'tests/search/check-query.test.ts',
    'tests/search/term-rarity.test.ts',
    'tests/search/post-terms.test.ts',
    'tests/search/stream-operators.test.ts',
    'tests/search/stream-rules.test.ts',
    'tests/search/rule-index.test.ts',
    'tests/search/search-queries.test.ts',
    'tests/search/slices.test.ts',
    'tests/social/search.test.ts',
  ],
  'identity/oauth1': [
    'tests/identity/signature.test.ts',
    'tests/identity/oauth1-reasons.test.ts',
    'tests/identity/signed-requests.test.ts',
    'tests/identity/lost-nonces.test.ts',
    'tests/identity/three-legged.test.ts',
    'tests/identity/oauth1-tokens.test.ts',
    'tests/identity/request-log.test.ts',
    'tests/identity/consent-account.test.ts',
    'tests/identity/signed-public-address.test.ts',
  ],
  'identity/oauth2': [
    'tests/identity/oauth2-reasons.test.ts',
    'tests/identity/oauth2-tokens.test.ts',
    'tests/identity/pkce.test.ts',
    'tests/identity/app-only.test.ts',
    'tests/identity/consent-account.test.ts',
  ],
  events: [
    'tests/events/catalog.test.ts',
    'tests/events/lossy-line.test.ts',
    'tests/events/nats-line.test.ts',
    'tests/events/reader.test.ts',
    'tests/events/log.test.ts',
    'tests/events/nats.process.test.ts',
    'tests/events/machine-invalidations.test.ts',
    'tests/events/as-they-were.test.ts',
  ],
  webhooks: [
    'tests/webhooks/configure-webhooks.test.ts',
    'tests/webhooks/private-addresses.test.ts',
    'tests/webhooks/validate-webhooks.test.ts',
    'tests/webhooks/deliveries.test.ts',
    'tests/webhooks/replays.test.ts',
  ],
  'ads/kit': [
    'tests/ads/parameters.test.ts',
    'tests/ads/batches.test.ts',
    'tests/ads/openapi.test.ts',
    'tests/ads/lists.test.ts',
    'tests/ads/conventions.test.ts',
    'tests/ads/campaigns.test.ts',
    'tests/ads/requests.test.ts',
    'tests/ads/limits.test.ts',
    'tests/ads/refused-callers.test.ts',
    'tests/ads/accounts.test.ts',
    'tests/ads/line-items.test.ts',
  ],
}

const asked = process.argv.slice(2)
const unknown = asked.filter((area) => !(area in AREAS))
if (unknown.length > 0) {
  console.error(`No such area: ${unknown.join(', ')}. The areas are ${Object.keys(AREAS).join(', ')}.`)
  process.exit(1)
}

/** Starts the PostgreSQL server of the tests; the runner of a mutant that does not end is killed, and could not stop it. */
async function startDatabase() {
  const vite = await createServer({
    configFile: false,
    appType: 'custom',
    logLevel: 'error',
    server: { middlewareMode: true, ws: false },
  })
  const { default: setup } = await vite.ssrLoadModule('/tests/support/database.setup.ts')
  let connection
  const stop = await setup({
    provide: (_name, value) => {
      connection = value
    },
  })
  return {
    connection,
    stop: async () => {
      await stop()
      await vite.close()
    },
  }
}

/** Drops the databases of test servers that are gone, every few seconds: each mutant leaves some behind. */
function dropAbandoned(connection) {
  let idle = new Set()
  const look = async () => {
    const admin = new pg.Client({ ...connection, database: 'postgres', ssl: false })
    try {
      await admin.connect()
      const { rows } = await admin.query(
        `select datname as name from pg_database where datname like 'rostra\\_test\\_%'
            and not exists (select from pg_stat_activity a where a.datname = pg_database.datname)`,
      )
      // One that was idle before too: a new one has no connection for a moment.
      for (const { name } of rows.filter((row) => idle.has(row.name)))
        await admin.query(`drop database if exists ${name}`)
      idle = new Set(rows.map((row) => row.name))
    } catch {
      // In use again after all: the next look finds out.
    } finally {
      await admin.end().catch(() => {})
    }
  }
  let last = Promise.resolve()
  const timer = setInterval(() => {
    last = last.then(look)
  }, 10_000)
  return async () => {
    clearInterval(timer)
    await last
  }
}

/** A file of tests that cannot be imported has no tests, and Stryker says nothing of it. */
function refuseMissing(area, report) {
  const { testFiles } = JSON.parse(readFileSync(report, 'utf8'))
  const missing = AREAS[area].filter((file) => !testFiles[file]?.tests.length)
  if (missing.length > 0) throw new Error(`No test ran of ${missing.join(', ')}`)
}

async function testArea(area) {
  process.env.MUTATION_TESTS = AREAS[area].join(',')
  const name = area.replaceAll('/', '-')
  const started = performance.now()
  const results = await new Stryker({
    testRunner: 'vitest',
    plugins: [
      '@stryker-mutator/vitest-runner',
      './tests/mutation/sample-checker.js',
      './tests/mutation/survivor-reporter.js',
    ],
    checkers: ['sample'],
    vitest: { configFile: 'tests/mutation/vitest.config.ts', related: false },
    mutate: [`src/${area}/**/*.ts`],
    coverageAnalysis: 'perTest',
    ignoreStatic: true,
    concurrency: 1,
    incremental: true,
    // What one sample left out counts as tested for the next run: each sample has a file of its own.
    incrementalFile: `reports/mutation/${name}.${SAMPLE}-${SEED}.incremental.json`,
    reporters: ['survivors', 'progress-append-only', 'json', 'html'],
    jsonReporter: { fileName: `reports/mutation/${name}.json` },
    htmlReporter: { fileName: `reports/mutation/${name}.html` },
    ignorePatterns: ['/biome.json', '/dist', '/data', '/reports', '/docs', '/bench', '/examples', '/.git'],
    tempDirName: `.stryker-tmp`,
    timeoutMS: 20_000,
    timeoutFactor: 3,
    dryRunTimeoutMinutes: 30,
    // TypeScript 7 has no interface for programs, which rewriting the file would need.
    tsconfigFile: 'tsconfig.none.json',
    disableTypeChecks: false,
    allowConsoleColors: false,
    ...JSON.parse(process.env.MUTATION_OPTIONS ?? '{}'),
  }).runMutationTest()
  refuseMissing(area, `reports/mutation/${name}.json`)
  const count = (...states) => results.filter((result) => states.includes(result.status)).length
  const [killed, survived, timeout, uncovered] = [
    count('Killed'),
    count('Survived'),
    count('Timeout'),
    count('NoCoverage'),
  ]
  return {
    area,
    sample: SAMPLE,
    seed: SEED,
    mutants: results.length,
    killed,
    survived,
    timeout,
    uncovered,
    ignored: count('Ignored'),
    unsampled: count('CompileError'),
    errors: count('RuntimeError'),
    score: (100 * (killed + timeout)) / Math.max(1, killed + timeout + survived + uncovered),
    minutes: (performance.now() - started) / 60_000,
  }
}

const COUNTS = ['mutants', 'killed', 'survived', 'timeout', 'uncovered', 'ignored', 'unsampled', 'errors']

const total = (rows) => {
  const sum = (name) => rows.reduce((all, row) => all + row[name], 0)
  const row = { area: 'all', sample: SAMPLE, seed: SEED }
  for (const name of [...COUNTS, 'minutes']) row[name] = sum(name)
  row.score = (100 * (row.killed + row.timeout)) / Math.max(1, row.killed + row.timeout + row.survived + row.uncovered)
  return row
}

function print(rows) {
  const names = ['area', 'sample', 'seed', ...COUNTS, 'score', 'minutes']
  const shown = (value) => (typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(1) : String(value))
  const width = (name) => Math.max(name.length, ...rows.map((row) => shown(row[name]).length))
  const line = (cell) => names.map((name) => cell(name).padStart(width(name))).join('  ')
  console.log(line((name) => name))
  for (const row of rows) console.log(line((name) => shown(row[name])))
}

const database = await startDatabase()
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await database.stop()
    process.exit(1)
  })
process.env.MUTATION_CONNECTION = JSON.stringify(database.connection)
const stopDropping = dropAbandoned(database.connection)
const rows = []
try {
  for (const area of asked.length > 0 ? asked : Object.keys(AREAS)) rows.push(await testArea(area))
} finally {
  await stopDropping()
  await database.stop()
  rmSync('.stryker-tmp', { recursive: true, force: true })
}
print(rows.length > 1 ? [...rows, total(rows)] : rows)
process.exit(rows.every((row) => row.score >= LEAST) ? 0 : 1)

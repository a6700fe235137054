import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { allStatements } from '../../src/storage/statement.ts'
import { type AdsScene, createAdsScene } from '../ads/ads-scene.ts'
import { createScene, type Scene } from '../contract/scene.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { EXCEPTIONS } from './exceptions.ts'
import { makeBusy, multiplyRows, seedLarge } from './large-database.ts'
import { type Finding, type PlanRecorder, recordPlans } from './recorded-plans.ts'
import { type Outcome, runAdsExamples, runAdsLists, runExamples, runSearches } from './requests.ts'

let server: TestServer
let scene: Scene
/** An account with thousands of records of each kind, as far as the limits of accounts allow. */
let large: AdsScene
let recorder: PlanRecorder

const PREPARING_MS = 600_000

// It takes more than a minute: `npm run test:full` has it, `npm test` does not.
describe.skipIf(inject('sampling').cases === 'some')('on a large database', () => {
  beforeAll(async () => {
    server = await startTestServer([], { newDatabase: true })
    scene = await createScene(server)
    large = await createAdsScene(server)
    const { database, clock } = server.runtime
    await seedLarge(database, clock.now() - 60_000)
    // The examples put rows into the tables, which are then copied.
    await runExamples(scene, () => {})
    await runAdsExamples(large, () => {})
    await makeBusy(database, server.userId('alice'))
    await multiplyRows(database)
    recorder = await recordPlans(database)
  }, PREPARING_MS)
  afterAll(() => scene.close())

  test(
    'no statement of a request scans a large table or sorts many rows',
    async () => {
      const found: (Finding & { id: string })[] = []
      const refused: Outcome[] = []
      const see = (outcome: Outcome) => {
        if (outcome.refusal) refused.push(outcome)
        for (const finding of recorder.take()) found.push({ ...finding, id: outcome.id })
      }
      await runExamples(scene, see)
      await runSearches(scene, see)
      await runAdsLists(large, see)
      await runAdsExamples(large, see)
      // A request that is refused shows nothing about the statements that it would run.
      expect(refused).toEqual([])
      expect(recorder.count()).toBeGreaterThan(5_000)
      const names = new Map(allStatements().map((item) => [item.sql, item.name]))
      const findings = new Map<string, string>()
      for (const { kind, of, sql, rows, id } of found) {
        const text = `${kind} of ${of} in ${labelOf(sql, names)}`
        findings.set(text, `${text}: ${rows} rows, by ${id}`)
      }
      const unexpected = [...findings].filter(([text]) => !EXCEPTIONS.some(({ finding }) => finding.test(text)))
      expect(unexpected.map(([, text]) => text).sort()).toEqual([])
    },
    PREPARING_MS,
  )
})

/** Statements that are made for a request, by what they do. */
const MADE: [label: string, sql: RegExp][] = [
  ['search: find posts', /^select (?:p\.id\b.* from post p |id from \(select t\.id)/],
  ['search: count posts', /^(?:select .* as slice, count\(\*\)|with coarse as materialized)/],
  ['audience estimate', /^select count\(\*\) as users from user_account u /],
]

/** The name of a statement; of one that is made for a list or a request, what it does. */
function labelOf(sql: string, names: Map<string, string>): string {
  const name = names.get(sql)
  if (name && !/ [0-9a-f]{16}$/.test(name)) return name
  const text = sql.trim().replace(/\s+/g, ' ')
  const table = /\bfrom (ads_\w+) r\b/.exec(text)?.[1]
  if (table) return /^select count/.test(text) ? `count of ${table}` : `list of ${table}`
  // What PostgreSQL runs itself where a reference says `on delete cascade`.
  const emptied = /^DELETE FROM ONLY "public"\."(\w+)"/.exec(text)?.[1]
  if (emptied) return `deletion from ${emptied}`
  return MADE.find(([, pattern]) => pattern.test(text))?.[0] ?? `"${text.slice(0, 200)}"`
}

import { afterAll, beforeAll, expect, test } from 'vitest'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import { families } from '../../src/app.ts'
import { createAdsScene } from '../ads/ads-scene.ts'
import { loadAdsExamples } from '../ads/examples/example.ts'
import { sendCall } from '../ads/send-example.ts'
import { callAs, callsOf, casesOf } from '../contract/check-operations.ts'
import { createScene, type Scene } from '../contract/scene.ts'
import { sampleOf } from '../support/sampling.ts'
import type { As } from '../support/server.ts'

const [v2, ads] = families

let scene: Scene
beforeAll(async () => {
  scene = await createScene()
})
afterAll(() => scene.close())

/** Addresses of members that a browser does not open: they are for another method, or for an app with its credentials. */
const NOT_OPENED: Record<string, string> = {
  upload_url: 'the ids of a compliance job are sent to it with PUT',
  download_url: 'the result of a compliance job exists when the job has ended',
}

/** Every address on this server in an answer, with the member that has it. */
function addressesIn(value: unknown, member = ''): { member: string; address: string }[] {
  if (Array.isArray(value)) return value.flatMap((item) => addressesIn(item, member))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, item]) => addressesIn(item, name))
  if (typeof value !== 'string') return []
  const found = value.split(scene.server.baseUrl).slice(1)
  return found.map((rest) => ({ member, address: scene.server.baseUrl + /^[^\s"'<>\\]*/.exec(rest)![0] }))
}

const opened = new Map<string, number>()

/** The addresses of an answer that lead nowhere. */
async function brokenIn(source: string, body: unknown, as: As): Promise<string[]> {
  const broken: string[] = []
  for (const { member, address } of addressesIn(body)) {
    if (member in NOT_OPENED || opened.has(address)) continue
    const path = address.slice(scene.server.baseUrl.length)
    // A browser opens pages and files without credentials; what the interface serves is for those who got the address.
    const caller = /^\/2\/(?!problems)/.test(path) ? as : 'nobody'
    const { status } = await scene.server.request('GET', path, { as: caller, headers: { accept: 'text/html' } })
    opened.set(address, status)
    if (status !== 200 && (status < 300 || status > 399)) broken.push(`${status} ${address} (${member} of ${source})`)
  }
  return broken
}

test('every address on this server in an answer of version 2 leads to a page, a file or on', async () => {
  const broken: string[] = []
  for (const item of sampleOf('addresses of version 2', casesOf(v2.operations, neutral), 30)) {
    if (item.operation.streaming || item.operation.bytes) continue
    // Users of one scene block each other after some operations, so a later example may not be possible.
    const calls = await callsOf(scene, item).catch(() => [])
    for (const { call, cast } of calls) {
      const answer = await callAs(scene, item, call, cast)
      broken.push(...(await brokenIn(item.id, answer.body, cast.oauth2)))
    }
  }
  expect(broken).toEqual([])
  expect(opened.size).toBeGreaterThan(0)
})

test('so does every address in an answer of advertising', async () => {
  const adsScene = await createAdsScene(scene.server)
  const examples = await loadAdsExamples()
  const broken: string[] = []
  for (const operation of sampleOf('addresses of advertising', [...ads.operations], 30)) {
    const call = await examples[operation.id]!(adsScene)
    const as = call.as ?? { user: 'alice' }
    const answer = await sendCall(adsScene, operation, neutral, call, as)
    // What was deleted leads nowhere.
    if (answer.body?.data?.deleted === true) continue
    broken.push(...(await brokenIn(operation.id, answer.body, as)))
  }
  expect(broken).toEqual([])
})

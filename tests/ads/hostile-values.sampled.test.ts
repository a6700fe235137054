import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import { families } from '../../src/app.ts'
import { sampleOf } from '../support/sampling.ts'
import { type AdsScene, startAdsScene } from './ads-scene.ts'
import { type AdsCall, loadAdsExamples } from './examples/example.ts'
import { sendCall } from './send-example.ts'

const { operations: adsOperations } = families[1]

const examples = await loadAdsExamples()

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

// Also names that every object has without being given them.
const UNKNOWN_NAMES = ['surprise', 'constructor', '__proto__']
const VALUES = [
  '',
  '-1',
  '99999999999999999999',
  "a,b,,'; drop table x; -- 💥",
  '2026-13-45',
  '9999-12-31T23:59:59-14:00',
  'x'.repeat(3_000),
  'constructor',
]
/** As JSON gives them: members of its own. */
const HOSTILE_MEMBERS = JSON.parse('{"constructor":1,"__proto__":{"a":1},"toString":"x","hasOwnProperty":[]}')
const BODIES: unknown[] = [
  null,
  1,
  'x',
  [],
  {},
  [null],
  [[]],
  [{}],
  [{ operation_type: 5, params: [] }],
  [{ operation_type: 'constructor', params: {} }],
  ...['Create', 'Update', 'Delete'].map((operation_type) => [{ operation_type, params: HOSTILE_MEMBERS }]),
  HOSTILE_MEMBERS,
  [HOSTILE_MEMBERS],
  { name: { a: [1] } },
]

describe('hostile requests never fail with a server error', () => {
  test.each(adsOperations.map((operation) => ({ id: operation.id, operation })))('$id', async ({ id, operation }) => {
    const names = sampleOf(`unknown names ${id}`, UNKNOWN_NAMES, 1)
    const pairs = sampleOf(
      `hostile values ${id}`,
      Object.keys(operation.params).flatMap((name) => VALUES.map((value) => ({ name, value }))),
      6,
    )
    const bodies = sampleOf(`hostile bodies ${id}`, operation.body ? BODIES : [], 4)
    const call = await examples[id]!(scene)
    const send = (changed: AdsCall) => sendCall(scene, operation, neutral, changed, call.as ?? { user: 'alice' })
    scene.server.runtime.strict = 'on'
    for (const name of names) {
      const unknown = await send({ ...call, values: { ...call.values, [name]: 1 } })
      expect(unknown.status, `${name}: ${unknown.text.slice(0, 300)}`).toBe(400)
      expect(unknown.body.errors[0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter: name })
    }
    scene.server.runtime.strict = 'off'
    for (const { name, value } of pairs) {
      const answer = await send({ ...call, values: { ...call.values, [name]: value } })
      expect(answer.status, `${name}=${value.slice(0, 40)}: ${answer.text.slice(0, 300)}`).toBeLessThan(500)
    }
    for (const json of bodies) {
      const answer = await send({ ...call, json })
      expect(answer.status, `${JSON.stringify(json)}: ${answer.text.slice(0, 300)}`).toBeLessThan(500)
    }
  })
})

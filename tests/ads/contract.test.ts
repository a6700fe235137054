import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AdsOperation } from '../../src/ads/kit/operation.ts'
import type { TSchema } from '../../src/api-kit/declaring/schema.ts'
import { type Naming, neutral } from '../../src/api-kit/naming/naming.ts'
import { renameSchema } from '../../src/api-kit/naming/rename-schema.ts'
import { families } from '../../src/app.ts'
import { adsLegacyNaming } from '../../src/legacy-words.ts'
import { reportDifferences, unclearEntries } from '../contract/list-differences.ts'
import { QUICK_TO_COMPILE } from '../support/quick-to-compile.ts'
import type { As } from '../support/server.ts'
import { type AdsScene, startAdsScene } from './ads-scene.ts'
import { compareOperations } from './compare-operations.ts'
import { differences, REPLY_DIFFERENCES } from './differences.ts'
import { type AdsCall, loadAdsExamples } from './examples/example.ts'
import { reference, referenceOperations, schemaFor } from './reference-document.ts'
import { addressOf, sendCall, spelled } from './send-example.ts'

const { operations: adsOperations } = families[1]

const examples = await loadAdsExamples()
const described = referenceOperations()
const NAMINGS = [neutral, adsLegacyNaming]

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, ...QUICK_TO_COMPILE })
ajv.addSchema(reference, 'ads')

let scene: AdsScene
let unenrolled: As
beforeAll(async () => {
  scene = await startAdsScene()
  const app = await scene.server.command('app.create', { name: 'Not enrolled', owner: 'alice' })
  const token = await scene.server.command('user.token', { user: 'alice', app: app.id })
  unenrolled = {
    keys: {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: token.access_token,
      tokenSecret: token.access_token_secret,
    },
  }
})
afterAll(() => scene.close())

/** The schema with every object closed: it finds members that are not declared. */
function strict(schema: TSchema): TSchema {
  const copy: Record<string, unknown> = { ...schema }
  if (schema.nullable) copy.type = schema.type ? [schema.type, 'null'] : undefined
  if (schema.nullable && schema.enum) copy.enum = [...(schema.enum as unknown[]), null]
  const members = Object.entries((schema.properties ?? {}) as Record<string, TSchema>)
  if (members.length > 0) {
    copy.properties = Object.fromEntries(members.map(([name, member]) => [name, strict(member)]))
    copy.additionalProperties = false
  }
  if (schema.items) copy.items = strict(schema.items as TSchema)
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const)
    if (Array.isArray(schema[key])) copy[key] = (schema[key] as TSchema[]).map(strict)
  return copy as unknown as TSchema
}

test('the operations differ from the reference in what tests/ads/differences.ts lists, and in nothing else', () => {
  const listed = differences()
  const report = reportDifferences(compareOperations(adsOperations, described), listed, 'tests/ads/differences.ts')
  if (report) expect.fail(report)
  expect(unclearEntries(listed)).toEqual([])
})

test('every operation has an example of success, and no example is left over', () => {
  expect(Object.keys(examples).sort()).toEqual(adsOperations.map((operation) => operation.id).sort())
})

describe.each(adsOperations.map((operation) => ({ id: operation.id, operation })))('$id', ({ id, operation }) => {
  test.each(NAMINGS)('answers its example in the naming $id', async (naming) => {
    const call = await examples[id]!(scene)
    const answer = await sendCall(scene, operation, naming, call, call.as ?? { user: 'alice' })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.headers.get('x-current-api-version')).toBe('12')
    if (operation.data) {
      const item = strict(
        renameSchema(operation.data, naming.id === spokenBy(operation, naming, call) ? naming : neutral),
      )
      const data = answer.body.data
      const validate = ajv.compile(item)
      for (const record of Array.isArray(data) && item.type !== 'array' ? data : [data]) {
        validate(record)
        expect(validate.errors, JSON.stringify(record)).toBeNull()
      }
    }
    // An operation beyond the reference has no schema there.
    if (naming === neutral && described.has(id)) {
      const validate = ajv.compile(schemaFor(id))
      validate(answer.body)
      const errors = (validate.errors ?? []).filter(
        (error) => !REPLY_DIFFERENCES[id]?.some(({ pointer }) => error.instancePath.includes(pointer)),
      )
      expect(errors, answer.text).toEqual([])
    }
  })

  test('refuses callers without access', async () => {
    const call = { path: Object.fromEntries(Object.keys(operation.pathParams).map((name) => [name, '1'])) }
    const nobody = await sendCall(scene, operation, neutral, call, 'nobody')
    expect(nobody.status).toBe(401)
    expect(nobody.body.errors[0].code).toBe('UNAUTHORIZED_ACCESS')
    expect((await sendCall(scene, operation, neutral, call, 'app')).body.errors[0].code).toBe('UNAUTHORIZED_ACCESS')
    const outside = await sendCall(scene, operation, neutral, call, unenrolled)
    expect(outside.status).toBe(403)
    expect(outside.body.errors[0].code).toBe('UNAUTHORIZED_CLIENT_APPLICATION')
    if (!operation.path.includes('{account_id}')) return
    const stranger = await sendCall(scene, operation, neutral, call, { user: 'dario' })
    expect(stranger.status).toBe(403)
    expect(stranger.body.errors[0].code).toBe('ACCOUNT_NOT_FOUND')
  })
})

/** The naming that a call shows by its path, names and words. */
function spokenBy(operation: AdsOperation, naming: Naming, call: AdsCall): Naming['id'] {
  const address = addressOf(scene, operation, naming, call)
  const isShown =
    address !== addressOf(scene, operation, neutral, call) ||
    JSON.stringify(spelled(call.json, naming)) !== JSON.stringify(call.json)
  return isShown ? naming.id : 'neutral'
}

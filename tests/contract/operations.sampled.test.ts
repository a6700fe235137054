import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Family } from '../../src/api-kit/family.ts'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import { families } from '../../src/app.ts'
import { legacyNaming } from '../../src/legacy-words.ts'
import { openStream } from '../support/read-stream.ts'
import { sampleOf } from '../support/sampling.ts'
import { callAs, callsOf, casesOf, examples, type OperationCase } from './check-operations.ts'
import type { Call } from './examples/example.ts'
import { type Cast, createScene, type Scene } from './scene.ts'
import { spellCall } from './spell-call.ts'
import { compileStrict } from './strict-schema.ts'

const { operations } = families[0]

let scene: Scene
beforeAll(async () => {
  scene = await createScene()
})
afterAll(() => scene.close())

test('every operation has an example of success in tests/contract/examples, and no example is left over', () => {
  expect(Object.keys(examples).sort()).toEqual(operations.map((operation) => operation.id).sort())
})

test('every operation of every family compiles in both namings', () => {
  for (const family of families as readonly Family[])
    for (const operation of family.operations)
      for (const naming of [neutral, family.legacy])
        expect(() => family.compile(operation, naming), `${operation.id}, ${naming.id}`).not.toThrow()
})

const MOST_CAUSES = 5_000

/** The first line of a stream: what `cause` makes happen, or the last line of an ended stream where nothing can. */
async function readLine({ operation, naming }: OperationCase, call: Call, cast: Cast) {
  const stream = await openStream(scene.server, spellCall(operation, naming, call).path, cast.app)
  expect(stream.status, stream.text).toBe(200)
  let isThere = false
  const line = stream.next(25_000).finally(() => {
    isThere = true
  })
  if (call.cause) for (let done = 0; done < MOST_CAUSES && !isThere; done++) await call.cause()
  else await scene.server.delete('/2/connections/all', cast.app)
  const body = await line
  stream.close()
  await scene.endStreams()
  return { status: stream.status, headers: stream.headers, text: JSON.stringify(body), body }
}

// One of the two namings of each operation in a sample, the other one in the rest.
const cases = operations.flatMap((operation) =>
  sampleOf(
    `contract ${operation.id}`,
    [neutral, legacyNaming].flatMap((naming) => casesOf([operation], naming)),
    1,
  ),
)

describe.each(cases)('$id in the $spelling naming', (item) => {
  const { operation, naming } = item
  test('answers with what its own schema says and nothing else', async () => {
    const validate = compileStrict(operation.reply, naming)
    for (const { call, cast } of await callsOf(scene, item)) {
      const isLastLine = operation.streaming && !call.cause
      const answer = operation.streaming ? await readLine(item, call, cast) : await callAs(scene, item, call, cast)
      expect(answer.status, answer.text).toBe(operation.status)
      if (operation.bytes) {
        expect(answer.headers.get('content-type')).toBe('application/octet-stream')
        expect(answer.text).not.toBe('')
        continue
      }
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(answer.body.errors !== undefined, answer.text).toBe(isLastLine)
      validate(answer.body)
      expect(validate.errors ?? [], answer.text).toEqual([])
    }
  })
})

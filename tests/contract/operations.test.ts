import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CREDENTIAL_WORDS, type CredentialKind, type PermissionLevel } from '../../src/api-kit/declaring/caller.ts'
import type { AuthRule, Operation } from '../../src/api-kit/declaring/operation.ts'
import { type Naming, neutral } from '../../src/api-kit/naming/naming.ts'
import { compileOperation } from '../../src/api-kit/serving/serve-operation.ts'
import { operations } from '../../src/app.ts'
import { SCOPES } from '../../src/identity/oauth2/scopes.ts'
import { legacyNaming } from '../../src/legacy-words.ts'
import { openStream } from '../support/read-stream.ts'
import type { As } from '../support/server.ts'
import { type Call, loadExamples } from './examples/example.ts'
import { type Cast, createScene, type Scene } from './scene.ts'
import { addressOf, isSilent, parameterNames, spellCall } from './spell-call.ts'
import { compileStrict } from './strict-schema.ts'

const examples = await loadExamples()
const LEVELS: PermissionLevel[] = ['read', 'read-write', 'read-write-messages']
const KINDS: CredentialKind[] = ['oauth1', 'oauth2', 'app']

let scene: Scene
beforeAll(async () => {
  scene = await createScene()
})
afterAll(() => scene.close())

test('every operation has an example of success in tests/contract/examples, and no example is left over', () => {
  expect(Object.keys(examples).sort()).toEqual(operations.map((operation) => operation.id).sort())
})

test('every operation compiles in both namings', () => {
  for (const operation of operations)
    expect(() => compileOperation(operation, [neutral, legacyNaming]), operation.id).not.toThrow()
})

const cases = operations.flatMap((operation) =>
  [neutral, legacyNaming].map((naming) => ({ id: operation.id, spelling: naming.id, operation, naming })),
)
const guarded = cases.flatMap((item) =>
  item.operation.auth === 'none' ? [] : [{ ...item, auth: item.operation.auth as AuthRule }],
)

const taken = (auth: AuthRule): CredentialKind[] =>
  KINDS.filter((kind) => (kind === 'oauth2' ? auth.oauth2 !== undefined : auth[kind] === true))

/** Calls without a care for path and body: whoever is refused is refused before they are read. */
async function knock(operation: Operation, naming: Naming, as: As) {
  const path = addressOf(operation, naming)
  const isBearer = typeof as === 'object' && 'bearer' in as
  if (!operation.streaming || !isBearer) return scene.server.request(operation.method, path, { as })
  // Who is let in to a stream would wait for its end.
  const stream = await openStream(scene.server, path, as)
  stream.close()
  await scene.endStreams()
  return stream
}

const castFor = (operation: Operation, naming: Naming, call: Call): Cast =>
  naming.id === 'legacy' && isSilent(operation, naming, neutral, call) ? scene.legacy : scene.first

function callAs(operation: Operation, naming: Naming, call: Call, cast: Cast) {
  const { method, path, json } = spellCall(operation, naming, call)
  return scene.server.request(method, path, { as: cast[call.as], json })
}

const MOST_CAUSES = 5_000

/** The first line of a stream: what `cause` makes happen, or the goodbye where nothing can. */
async function readLine(operation: Operation, naming: Naming, call: Call, cast: Cast) {
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

/** The calls of the example, each with the cast that makes it. */
async function callsOf(operation: Operation, naming: Naming): Promise<{ call: Call; cast: Cast }[]> {
  const example = examples[operation.id]!
  const [first] = await example(scene, scene.first)
  const cast = castFor(operation, naming, first!)
  return (await example(scene, cast)).map((call) => ({ call, cast }))
}

describe.each(guarded)('$id in the $spelling naming', ({ operation, naming, auth }) => {
  test('refuses a request without credentials', async () => {
    const answer = await knock(operation, naming, 'nobody')
    expect(answer.status).toBe(401)
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(answer.body).toEqual({ title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' })
  })

  test('refuses each kind of credential that it does not take', async () => {
    const credentials: Record<CredentialKind, As> = {
      app: scene.first.app,
      oauth1: scene.first.user,
      oauth2: await scene.first.scoped([...SCOPES]),
    }
    const kinds = taken(auth)
    expect(kinds).not.toEqual([])
    for (const kind of KINDS) {
      const answer = await knock(operation, naming, credentials[kind])
      if (kinds.includes(kind)) {
        expect(answer.body?.title ?? 'none', kind).not.toMatch(/^(Unsupported Authentication|Unauthorized|Forbidden)$/)
        continue
      }
      expect(answer.status, kind).toBe(403)
      expect(answer.body).toEqual({
        title: 'Unsupported Authentication',
        detail: `Authenticating with ${CREDENTIAL_WORDS[kind]} is forbidden for this endpoint.  Supported authentication types are [${kinds.map((item) => CREDENTIAL_WORDS[item]).join(', ')}].`,
        type: `${scene.server.runtime.problemBase}/unsupported-authentication`,
        status: 403,
      })
    }
  })

  const scopes = auth.oauth2
  if (scopes && !auth.scopesByRequest)
    test('refuses a token that lacks one of its scopes', async () => {
      for (const scope of scopes) {
        const token = await scene.first.scoped([...SCOPES].filter((item) => item !== scope))
        const answer = await knock(operation, naming, token)
        expect(answer.status, scope).toBe(403)
        expect(answer.body).toEqual({ title: 'Forbidden', type: 'about:blank', status: 403, detail: 'Forbidden' })
      }
      const enough = await knock(operation, naming, await scene.first.scoped(scopes))
      expect(enough.body?.title).not.toBe('Forbidden')
    })

  const needed = LEVELS.indexOf(auth.level ?? (operation.method === 'GET' ? 'read' : 'read-write'))
  if (auth.oauth1)
    test.each(LEVELS)('takes an OAuth 1.0a token of the level %s only when that is enough', async (level) => {
      const answer = await knock(operation, naming, scene.first.level(level))
      const refusal = {
        title: 'Forbidden',
        status: 403,
        detail: 'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
        type: `${scene.server.runtime.problemBase}/oauth1-permissions`,
      }
      if (LEVELS.indexOf(level) >= needed) expect(answer.body).not.toEqual(refusal)
      else {
        expect(answer.status).toBe(403)
        expect(answer.body).toEqual(refusal)
      }
    })
})

describe.each(cases)('$id in the $spelling naming', ({ operation, naming }) => {
  test('refuses an unknown query parameter and lists the known ones', async () => {
    const [{ call, cast }] = (await callsOf(operation, naming)) as [{ call: Call; cast: Cast }]
    const { method, path, json } = spellCall(operation, naming, call)
    const answer = await scene.server.request(method, `${path}${path.includes('?') ? '&' : '?'}no_such_name=1`, {
      as: cast[call.as],
      json,
    })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      errors: [
        {
          parameters: { no_such_name: ['1'] },
          message: `The query parameter [no_such_name] is not one of [${parameterNames(operation, naming).join(',')}]`,
        },
      ],
      title: 'Invalid Request',
      detail: 'One or more parameters to your request was invalid.',
      type: `${scene.server.runtime.problemBase}/invalid-request`,
    })
  })

  for (const name of Object.keys(operation.pathSchemas))
    test(`refuses a ${name} in the path that can not be`, async () => {
      const [{ call, cast }] = (await callsOf(operation, naming)) as [{ call: Call; cast: Cast }]
      const answer = await callAs(operation, naming, { ...call, path: { ...call.path, [name]: '-' } }, cast)
      expect(answer.status).toBe(400)
      expect(answer.body.type).toBe(`${scene.server.runtime.problemBase}/invalid-request`)
      expect(answer.body.errors).toHaveLength(1)
      expect(answer.body.errors[0].parameters).toEqual({ [naming.rename(name)]: ['-'] })
    })

  test('answers with what its own schema says and nothing else', async () => {
    const validate = compileStrict(operation.reply, naming)
    for (const { call, cast } of await callsOf(operation, naming)) {
      const isGoodbye = operation.streaming && !call.cause
      const answer = operation.streaming
        ? await readLine(operation, naming, call, cast)
        : await callAs(operation, naming, call, cast)
      expect(answer.status, answer.text).toBe(operation.status)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(answer.body.errors !== undefined, answer.text).toBe(isGoodbye)
      validate(answer.body)
      expect(validate.errors ?? [], answer.text).toEqual([])
    }
  })
})

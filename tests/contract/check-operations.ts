import { describe, expect, test } from 'vitest'
import { CREDENTIAL_WORDS, type CredentialKind, type PermissionLevel } from '../../src/api-kit/declaring/caller.ts'
import type { AuthRule, Operation } from '../../src/api-kit/declaring/operation.ts'
import { type Naming, neutral } from '../../src/api-kit/naming/naming.ts'
import { SCOPES } from '../../src/identity/oauth2/scopes.ts'
import { openStream } from '../support/read-stream.ts'
import type { As } from '../support/server.ts'
import { type Call, loadExamples } from './examples/example.ts'
import type { Cast, Scene } from './scene.ts'
import { addressOf, isSilent, parameterNames, spellCall } from './spell-call.ts'

export const examples = await loadExamples()
const LEVELS: PermissionLevel[] = ['read', 'read-write', 'read-write-messages']
const KINDS: CredentialKind[] = ['oauth1', 'oauth2', 'app']

/** An operation in one of its namings. */
export interface OperationCase {
  id: string
  spelling: Naming['id']
  operation: Operation
  naming: Naming
}

export const casesOf = (operations: readonly Operation[], naming: Naming): OperationCase[] =>
  operations.map((operation) => ({ id: operation.id, spelling: naming.id, operation, naming }))

const kindsTaken = (auth: AuthRule): CredentialKind[] =>
  KINDS.filter((kind) => (kind === 'oauth2' ? auth.oauth2 !== undefined : auth[kind] === true))

/** Calls with any path and no body: a caller who is refused is refused before they are read. */
async function callBarely(scene: Scene, { operation, naming }: OperationCase, as: As) {
  const path = addressOf(operation, naming)
  const isBearer = typeof as === 'object' && 'bearer' in as
  if (!operation.streaming || !isBearer) return scene.server.request(operation.method, path, { as })
  // A caller who is admitted to a stream would wait for its end.
  const stream = await openStream(scene.server, path, as)
  stream.close()
  await scene.endStreams()
  return stream
}

const castFor = (scene: Scene, { operation, naming }: OperationCase, call: Call): Cast =>
  naming.id === 'legacy' && isSilent(operation, naming, neutral, call) ? scene.legacy : scene.first

export function callAs(scene: Scene, { operation, naming }: OperationCase, call: Call, cast: Cast) {
  const { method, path, json } = spellCall(operation, naming, call)
  return scene.server.request(method, path, { as: cast[call.as], json })
}

/** The calls of the example, each with the cast that makes it. */
export async function callsOf(scene: Scene, item: OperationCase): Promise<{ call: Call; cast: Cast }[]> {
  const example = examples[item.id]!
  const [first] = await example(scene, scene.first)
  const cast = castFor(scene, item, first!)
  return (await example(scene, cast)).map((call) => ({ call, cast }))
}

const firstCallOf = async (scene: Scene, item: OperationCase) => (await callsOf(scene, item))[0]!

/** Declares the tests of what each operation refuses: callers, scopes, levels, parameters. */
export function testRefusals(cases: readonly OperationCase[], sceneOf: () => Scene): void {
  const guarded = cases.flatMap((item) =>
    item.operation.auth === 'none' ? [] : [{ ...item, auth: item.operation.auth }],
  )
  describe.each(guarded)('$id in the $spelling naming', (item) => testAccess(item, item.auth, sceneOf))
  describe.each(cases)('$id in the $spelling naming', (item) => testParameters(item, sceneOf))
}

function testAccess(item: OperationCase, auth: AuthRule, sceneOf: () => Scene): void {
  const call = (as: As) => callBarely(sceneOf(), item, as)

  test('refuses a request without credentials', async () => {
    const answer = await call('nobody')
    expect(answer.status).toBe(401)
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(answer.body).toEqual({ title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' })
  })

  test('refuses each kind of credential that it does not take', async () => {
    const { first, server } = sceneOf()
    const credentials: Record<CredentialKind, As> = {
      app: first.app,
      oauth1: first.user,
      oauth2: await first.scoped([...SCOPES]),
    }
    const kinds = kindsTaken(auth)
    expect(kinds).not.toEqual([])
    for (const kind of KINDS) {
      const answer = await call(credentials[kind])
      if (kinds.includes(kind)) {
        expect(answer.body?.title ?? 'none', kind).not.toMatch(/^(Unsupported Authentication|Unauthorized|Forbidden)$/)
        continue
      }
      expect(answer.status, kind).toBe(403)
      expect(answer.body).toEqual({
        title: 'Unsupported Authentication',
        detail: `Authenticating with ${CREDENTIAL_WORDS[kind]} is forbidden for this endpoint.  Supported authentication types are [${kinds.map((one) => CREDENTIAL_WORDS[one]).join(', ')}].`,
        type: `${server.runtime.problemBase}/unsupported-authentication`,
        status: 403,
      })
    }
  })

  const scopes = auth.oauth2
  if (scopes && !auth.scopesByRequest)
    test('refuses a token that lacks one of its scopes', async () => {
      const { first } = sceneOf()
      for (const scope of scopes) {
        const answer = await call(await first.scoped([...SCOPES].filter((one) => one !== scope)))
        expect(answer.status, scope).toBe(403)
        expect(answer.body).toEqual({ title: 'Forbidden', type: 'about:blank', status: 403, detail: 'Forbidden' })
      }
      expect((await call(await first.scoped(scopes))).body?.title).not.toBe('Forbidden')
    })

  const needed = LEVELS.indexOf(auth.level ?? (item.operation.method === 'GET' ? 'read' : 'read-write'))
  if (auth.oauth1)
    test.each(LEVELS)('takes an OAuth 1.0a token of the level %s only when that is enough', async (level) => {
      const { first, server } = sceneOf()
      const answer = await call(first.level(level))
      const refusal = {
        title: 'Forbidden',
        status: 403,
        detail: 'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
        type: `${server.runtime.problemBase}/oauth1-permissions`,
      }
      if (LEVELS.indexOf(level) >= needed) expect(answer.body).not.toEqual(refusal)
      else {
        expect(answer.status).toBe(403)
        expect(answer.body).toEqual(refusal)
      }
    })
}

function testParameters(item: OperationCase, sceneOf: () => Scene): void {
  const { operation, naming } = item

  test('refuses an unknown query parameter and lists the known ones', async () => {
    const { server } = sceneOf()
    const { call, cast } = await firstCallOf(sceneOf(), item)
    const { method, path, json } = spellCall(operation, naming, call)
    const answer = await server.request(method, `${path}${path.includes('?') ? '&' : '?'}no_such_name=1`, {
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
      type: `${server.runtime.problemBase}/invalid-request`,
    })
  })

  for (const [name, { pattern }] of Object.entries(operation.pathSchemas))
    test(`refuses a malformed ${name} in the path`, async () => {
      const malformed = pattern !== undefined && new RegExp(pattern).test('-') ? '~' : '-'
      const { call, cast } = await firstCallOf(sceneOf(), item)
      const answer = await callAs(sceneOf(), item, { ...call, path: { ...call.path, [name]: malformed } }, cast)
      expect(answer.status).toBe(400)
      expect(answer.body.type).toBe(`${sceneOf().server.runtime.problemBase}/invalid-request`)
      expect(answer.body.errors).toHaveLength(1)
      expect(answer.body.errors[0].parameters).toEqual({ [naming.rename(name)]: [malformed] })
    })
}

import { enrolmentPart } from '../ads/kit/access.ts'
import { refusal } from '../ads/kit/errors.ts'
import { isSandboxRequest } from '../ads/kit/serving/addresses.ts'
import { asAdsProblem } from '../ads/kit/serving/as-ads-problem.ts'
import { adsProblemResponse } from '../ads/kit/serving/envelope.ts'
import { notEnrolled } from '../ads/kit/serving/gate.ts'
import type { Caller } from '../api-kit/declaring/caller.ts'
import { defineEndpoint, type Endpoint } from '../api-kit/declaring/endpoint.ts'
import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { neutral } from '../api-kit/naming/naming.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import type { RequestNotes } from '../api-kit/serving/serve-request.ts'
import { Answer } from '../api-kit/writing/answer.ts'
import { Problem } from '../api-kit/writing/problem.ts'
import { blank } from '../api-kit/writing/problems.ts'
import { adminKey } from '../control/admin-key.ts'
import { callerOfBearer } from '../identity/authenticate.ts'
import { readBearer } from '../identity/bearer.ts'
import { ADS_SCOPES } from '../identity/oauth2/scopes.ts'
import { sameText } from '../process/secret-box.ts'
import { adsToolSet } from './ads-tool-set.ts'
import { builderToolSet } from './builder-tools.ts'
import { discoveryEndpoints, resourceMetadataUrl } from './discovery.ts'
import { answerMessage, MESSAGE_BYTES, refusedOrigin } from './protocol-server.ts'

type UserCaller = Caller & { user: NonNullable<Caller['user']> }

/** Why a request was refused, as the WWW-Authenticate header says it. */
type Challenge = 'invalid_token' | 'insufficient_scope' | undefined

/** A refusal before any message is read, in the shape of the advertising interface. */
function refuse(problem: Problem, request: RequestFacts, runtime: Runtime, challenge: Challenge): Answer {
  const { status, text, headers, reason } = adsProblemResponse(asAdsProblem(problem), neutral, {}, undefined)
  const values = [
    ...(challenge === undefined ? [] : [`error="${challenge}"`]),
    `resource_metadata="${resourceMetadataUrl(request, runtime)}"`,
    `scope="${[...ADS_SCOPES, 'offline.access'].join(' ')}"`,
  ]
  const isAboutToken = status === 401 || challenge !== undefined
  return new Answer(text, {
    status,
    contentType: String(headers['content-type']),
    headers: { ...problem.headers, ...(isAboutToken ? { 'www-authenticate': `Bearer ${values.join(', ')}` } : {}) },
    reason: problem.reason ?? reason,
  })
}

/** The user of the OAuth 2.0 token, if the app may use the advertising interface; else the refusal. */
async function readCaller(request: RequestFacts, runtime: Runtime, notes: RequestNotes): Promise<UserCaller | Answer> {
  const token = readBearer(request)
  const unauthorized = (words: string) => refusal('UNAUTHORIZED_ACCESS', words)
  if (token === undefined)
    return refuse(unauthorized("This interface takes only a user's OAuth 2.0 token"), request, runtime, undefined)
  let caller: Caller
  try {
    caller = await callerOfBearer(runtime, token)
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return refuse(error, request, runtime, error.status === 401 ? 'invalid_token' : undefined)
  }
  notes.caller = caller
  const { user } = caller
  if (!user) return refuse(unauthorized('This interface takes no app-only token'), request, runtime, 'invalid_token')
  const enrolment = await runtime.parts.one(enrolmentPart, caller.app.id)
  if (enrolment?.level !== 'standard')
    return refuse(
      notEnrolled(enrolment ? 'the app is enrolled for conversions only' : 'the app is not enrolled'),
      request,
      runtime,
      undefined,
    )
  if (!ADS_SCOPES.some((scope) => caller.scopes.has(scope)))
    return refuse(
      refusal('UNAUTHORIZED_CLIENT_APPLICATION', 'The token has none of the scopes of this interface', {
        details: `needs ${ADS_SCOPES.join(' or ')}`,
      }),
      request,
      runtime,
      'insufficient_scope',
    )
  return { ...caller, user }
}

/** A message of a client: the operation of the reference. */
export const mcpMessage: Endpoint = {
  ...defineEndpoint('mcpMessage', 'POST /mcp', async (facts, runtime, { notes }) => {
    const refused = await refusedOrigin(facts, runtime)
    if (refused) return refused
    const caller = await readCaller(facts, runtime, notes)
    if (caller instanceof Answer) return caller
    const sandbox = isSandboxRequest(facts)
    return answerMessage(runtime, facts, adsToolSet(runtime, { request: { facts, notes }, caller, sandbox }))
  }),
  bodyLimit: MESSAGE_BYTES,
}

/** Sessions and their streams, which a server without sessions does not have. */
const noSession = (path: string): Endpoint[] =>
  (['GET', 'DELETE'] as const).map((method) =>
    defineEndpoint(
      'mcpNoSession',
      `${method} ${path}` as `${'GET'} /${string}`,
      async (request, runtime) =>
        (await refusedOrigin(request, runtime)) ??
        new Answer(
          JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message: 'Method not allowed.' }, id: null }),
          {
            status: 405,
            headers: { allow: 'POST' },
            reason: 'there are no sessions: messages are sent with POST',
          },
        ),
    ),
  )

const BUILDERS = '/_rostra/mcp'

/** Tools for builders. Only the admin key opens them: a session of the console is for pages. */
const builderMessage: Endpoint = {
  ...defineEndpoint('mcpBuilderMessage', `POST ${BUILDERS}`, async (request, runtime) => {
    const refused = await refusedOrigin(request, runtime)
    if (refused) return refused
    if (!sameText(readBearer(request) ?? '', adminKey(runtime.secretBox)))
      throw blank(401, 'These tools require the admin key from credentials.json as a bearer token.')
    return answerMessage(runtime, request, builderToolSet(runtime))
  }),
  bodyLimit: MESSAGE_BYTES,
}

/** The Model Context Protocol: advertising and what tells its clients how to sign in, and the tools for builders. */
export const mcpEndpoints: readonly Endpoint[] = [
  mcpMessage,
  ...noSession('/mcp'),
  ...discoveryEndpoints,
  builderMessage,
  ...noSession(BUILDERS),
]

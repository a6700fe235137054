import { accessLevel, type Caller } from '../api-kit/declaring/caller.ts'
import type { Family, Phases } from '../api-kit/family.ts'
import { unusedWindow, writeLimitHeaders } from '../api-kit/limits/limit-headers.ts'
import { countOperationUse, firstWindow, windowOf } from '../api-kit/limits/operation-limit.ts'
import { requestContext } from '../api-kit/reading/read-context.ts'
import { pathHints } from '../api-kit/serving/nearest-path.ts'
import { type HttpResponse, problemResponse, type ServeOptions } from '../api-kit/serving/serve-request.ts'
import { legacyNaming } from '../legacy-words.ts'
import { writeV1Json } from '../social/v1/v1-json.ts'
import { v1Document } from './v1-document.ts'
import type { V1Answer, V1Input, V1Operation } from './v1-operation.ts'
import { readV1Params } from './v1-params.ts'
import { asV1Problem, pageNotFound, readOnlyApp, wrongCredentials } from './v1-problems.ts'

/**
 * The family of version 1.1: only the calls that programs for version 2 still make. It has no reference document. Its answers are
 * always in the legacy naming, since only programs that are written for those words call it.
 */
export function v1Family(operations: readonly V1Operation[]): Family<V1Operation, undefined> {
  const hint = pathHints(operations, legacyNaming)
  return {
    id: 'v1',
    title: 'Version 1.1',
    version: '1.1',
    operations,
    reference: [],
    legacy: legacyNaming,
    document: v1Document,
    covers: (url) => /^\/1\.1(?:\/|\?|$)/.test(url),
    // Nothing is compiled: handlers read their parameters by name.
    compile: () => {},
    windowOf,
    phases: v1Phases,
    refuse: (problem, _naming, _state, baseUrl) =>
      problemResponse(asV1Problem(problem, legacyNaming), legacyNaming, baseUrl),
    notFound: (method, path) => pageNotFound(`there is no ${method} ${path} here.${hint(method, path)}`),
    notBuilt: () => pageNotFound(),
  }
}

function v1Phases(operation: V1Operation, _path: unknown, options: ServeOptions): Phases<undefined> {
  const { runtime } = options
  const window = firstWindow(operation)
  return {
    begin: (exchange) => {
      exchange.naming = legacyNaming
      writeLimitHeaders(exchange.headers, 'x-rate-limit', unusedWindow(window))
      return undefined
    },
    admit: async (exchange) => {
      const caller = await options.authenticate(exchange.facts, exchange.notes)
      exchange.notes.caller = caller
      exchange.headers['x-access-level'] = accessLevel(caller)
      checkAccess(operation, caller)
      await countOperationUse(operation, caller, runtime, exchange.headers)
    },
    read: async ({ facts, notes, request }) => {
      const caller = notes.caller as Caller
      return {
        params: await readV1Params(facts, request.params as object),
        caller,
        runtime,
        context: requestContext(runtime, caller, legacyNaming, facts),
        request: facts,
      } satisfies V1Input
    },
    write: (result) => writeAnswer(result as V1Answer),
  }
}

/** OAuth 2.0 tokens of users did not exist for version 1.1, and are refused by it. */
function checkAccess({ auth, level }: V1Operation, caller: Caller): void {
  if (caller.kind === 'oauth2') throw wrongCredentials('version 1.1 does not take OAuth 2.0 User Context')
  if (caller.kind === 'app' && !auth.app) throw wrongCredentials('the call needs a user: OAuth 1.0a User Context')
  if (level !== 'read' && caller.level === 'read') throw readOnlyApp('the token allows read, the call needs read-write')
}

const writeAnswer = ({ status, body }: V1Answer): HttpResponse =>
  body
    ? {
        status: status ?? 200,
        text: writeV1Json(body, legacyNaming),
        headers: { 'content-type': 'application/json; charset=utf-8' },
      }
    : { status: status ?? 200, text: '', headers: {} }

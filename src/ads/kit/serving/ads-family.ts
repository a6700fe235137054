import type { Family, Phases } from '../../../api-kit/family.ts'
import { unusedWindow, writeLimitHeaders } from '../../../api-kit/limits/limit-headers.ts'
import type { Naming } from '../../../api-kit/naming/naming.ts'
import { pathHints } from '../../../api-kit/serving/nearest-path.ts'
import type { Exchange, ServeOptions } from '../../../api-kit/serving/serve-request.ts'
import { withoutMount } from '../../../api-kit/serving/serve-request.ts'
import { compileWriter } from '../../../api-kit/writing/writer.ts'
import { adsLegacyNaming } from '../../../legacy-words.ts'
import { sqlState } from '../../../storage/database.ts'
import { AdsError, AdsProblem, refusal } from '../errors.ts'
import { countTotalUse, userWindow } from '../limits.ts'
import type { AdsAnswer, AdsInput, AdsOperation, Ignores } from '../operation.ts'
import { idKind } from '../values.ts'
import {
  ADS_VERSION,
  adsRoute,
  isAdsAddress,
  isCurrentAddress,
  isFormerAddress,
  isSandboxRequest,
} from './addresses.ts'
import { asAdsProblem } from './as-ads-problem.ts'
import { addToEcho, type Echo } from './echo.ts'
import { adsProblemResponse, writeEnvelope } from './envelope.ts'
import { type Admitted, admit } from './gate.ts'
import { ignoresUnknown } from './ignored-names.ts'
import { adsDocument } from './openapi.ts'
import { type BodyReader, compileAdsBody } from './read-body.ts'
import { gatherSent, readParams, readPathIds, takeRepeatedPath } from './read-params.ts'
import type { SentWords } from './sent-words.ts'

/** What the advertising interface keeps of a request. A refusal repeats the echo and the words as they were sent. */
interface AdsState {
  sandbox: boolean
  admitted: Admitted | undefined
  echo: Echo
  words: SentWords | undefined
}

/** The family of the advertising interface. */
export function adsFamily(
  operations: readonly AdsOperation[],
  reference: readonly string[],
): Family<AdsOperation, AdsState> {
  const hint = pathHints(operations, adsLegacyNaming)
  const knownPaths = operations.flatMap(({ path }) =>
    [path, adsLegacyNaming.rename(path)].map(
      (item) => new RegExp(`^${adsRoute(item).replace(/\{[^}]+\}/g, '[^/]+')}$`),
    ),
  )
  return {
    id: 'ads',
    title: 'Advertising',
    version: ADS_VERSION,
    operations,
    reference,
    legacy: adsLegacyNaming,
    document: adsDocument,
    covers: isAdsAddress,
    rewrite: adsRoute,
    compile: (operation, naming) => {
      compileData(operation, naming)
      if (operation.body) compileAdsBody(operation.body)
    },
    phases: adsPhases,
    problemFor: (error) =>
      sqlState(error) === LOCK_NOT_AVAILABLE
        ? refusal('LOCK_ACQUISITION_TIMEOUT', 'Another change to this account is in progress. Try again.')
        : undefined,
    refuse: (problem, naming, state) => {
      const response = adsProblemResponse(asAdsProblem(problem), naming, state?.echo ?? {}, state?.words)
      response.headers['x-current-api-version'] = ADS_VERSION
      return response
    },
    notFound: (method, path) => {
      const details = hint(method, path).trim() || undefined
      return knownPaths.some((pattern) => pattern.test(path))
        ? refusal('METHOD_NOT_ALLOWED', 'The path does not take this method', { details })
        : refusal('ROUTE_NOT_FOUND', 'There is nothing at this path', { details })
    },
    notBuilt: ({ id, method, path }) =>
      new AdsProblem([new AdsError('NOT_IMPLEMENTED', `The operation ${id} (${method} ${path}) is not built yet`)], {
        status: 501,
      }),
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

const compileData = ({ data }: AdsOperation, naming: Naming): ((value: unknown) => string) =>
  data ? (compileWriter(data, naming) as (value: unknown) => string) : () => 'null'

function adsPhases(operation: AdsOperation, pathNaming: Naming | undefined, options: ServeOptions): Phases<AdsState> {
  const { runtime } = options
  const isLegacyByDefault = options.defaultNaming === 'legacy'
  // Compiled on first use: most processes see only a few of the operations.
  const writers: ((value: unknown) => string)[] = []
  let bodyReader: BodyReader | undefined
  const window = userWindow(operation.limit)
  const readBody = (exchange: Exchange, ignores: Ignores): unknown => {
    if (!operation.body) return undefined
    bodyReader ??= compileAdsBody(operation.body)
    const onLegacyName = () => {
      exchange.naming = adsLegacyNaming
    }
    return bodyReader(exchange.facts, onLegacyName, ignores)
  }
  return {
    begin: (exchange) => {
      const { facts, headers } = exchange
      headers['x-current-api-version'] = ADS_VERSION
      writeLimitHeaders(headers, 'x-rate-limit', unusedWindow(window))
      const address = withoutMount(exchange.request.originalUrl, runtime.mount)
      if (!isCurrentAddress(address))
        headers['x-api-warn'] = `This version is deprecated; the current one is ${ADS_VERSION}.`
      const isLegacyAddress = pathNaming?.id === 'legacy' || isFormerAddress(address) || facts.isPlatformHost
      if (isLegacyAddress || (isLegacyByDefault && !pathNaming)) exchange.naming = adsLegacyNaming
      return { sandbox: isSandboxRequest(facts), admitted: undefined, echo: {}, words: undefined }
    },
    admit: async (exchange, state) => {
      if (operation.sandboxOnly && !state.sandbox)
        throw refusal('ROUTE_NOT_FOUND', 'This call exists in the sandbox only')
      const { account_id: accountId } = exchange.request.params as Record<string, string>
      state.admitted = await admit(operation, accountId, state.sandbox, exchange, options)
    },
    read: async (exchange, state) => {
      const admitted = state.admitted!
      const ignores = ignoresUnknown(runtime.strict, exchange)
      const { path, params } = readSent(operation, exchange, state, admitted, { ignores, strict: runtime.strict })
      const body = readBody(exchange, ignores)
      if (params.with_total_count === true) {
        const owner = `${admitted.caller.app.id}:${admitted.user.id}`
        await countTotalUse(runtime, operation.id, owner, exchange.headers)
      }
      return {
        params,
        path,
        body,
        ...admitted,
        sandbox: state.sandbox,
        runtime,
        // Only the words of a batch show how its client spells.
        get naming() {
          return exchange.naming
        },
        set naming(spoken) {
          exchange.naming = spoken
        },
        headers: exchange.headers,
        request: exchange.facts,
        ignores,
      } satisfies AdsInput
    },
    write: (result, { naming }, { echo }) => {
      const answer = result as AdsAnswer
      for (const [name, value] of Object.entries(answer.alsoEchoed ?? {})) echo[naming.rename(name)] = value
      writers[naming.index] ??= compileData(operation, naming)
      return {
        status: 200,
        text: writeEnvelope(answer, writers[naming.index]!, echo, operation),
        headers: { 'content-type': 'application/json; charset=utf-8' },
      }
    },
  }
}

/** Reads path and parameters, and adds them to the echo as far as they can be read. */
function readSent(
  operation: AdsOperation,
  exchange: Exchange,
  state: AdsState,
  { account }: Admitted,
  { ignores, strict }: { ignores: Ignores; strict: 'on' | 'off' },
) {
  const { echo } = state
  const sent = gatherSent(operation, exchange.facts, adsLegacyNaming)
  state.words = sent.words
  if (sent.isLegacy) exchange.naming = adsLegacyNaming
  const { naming } = exchange
  if (operation.path.includes('{account_id}')) addToEcho(echo, 'account_id', idKind, account.id, naming)
  const path = readPathIds(operation, exchange.request.params as Record<string, string>, adsLegacyNaming)
  for (const [name, value] of Object.entries(path)) {
    const { kind, echoAs = name } = operation.pathParams[name]!
    addToEcho(echo, echoAs, kind, value, naming)
  }
  const isUpdate = operation.method === 'PUT'
  const inPath = operation.path.includes('{account_id}') ? { ...path, account_id: account.id } : path
  const differing = takeRepeatedPath(inPath, sent, operation, ignores)
  const { unchanging, comparesRecord } = operation
  const { values, given, errors } = readParams(operation.params, sent.values, {
    isUpdate,
    ignores,
    unchanging,
    comparesRecord: comparesRecord && strict === 'off',
    repeated: sent.repeated,
  })
  for (const name of given) {
    const { kind, echoAs = name } = operation.params[name]!
    addToEcho(echo, echoAs, kind, values[name], naming)
  }
  for (const name of operation.echo?.without ?? []) delete echo[naming.rename(name)]
  for (const [name, value] of Object.entries(operation.echo?.also ?? {})) echo[naming.rename(name)] = value
  errors.push(...differing)
  if (errors.length === 0 && operation.check) errors.push(...operation.check(values))
  if (errors.length > 0) throw new AdsProblem(errors)
  return { path, params: values }
}

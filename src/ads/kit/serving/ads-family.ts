import type { Family, Phases, ReferenceOperation } from '../../../api-kit/family.ts'
import { unusedWindow, writeLimitHeaders } from '../../../api-kit/limits/limit-headers.ts'
import type { Naming } from '../../../api-kit/naming/naming.ts'
import { pathHints } from '../../../api-kit/serving/nearest-path.ts'
import type { ServeOptions } from '../../../api-kit/serving/serve-request.ts'
import { withoutMount } from '../../../api-kit/serving/serve-request.ts'
import { compileWriter } from '../../../api-kit/writing/writer.ts'
import { adsLegacyNaming } from '../../../legacy-words.ts'
import { sqlState } from '../../../storage/database.ts'
import { AdsError, AdsProblem, refusal } from '../errors.ts'
import { userWindow } from '../limits.ts'
import type { AdsAnswer, AdsOperation, Ignores } from '../operation.ts'
import {
  ADS_VERSION,
  adsRoute,
  isAdsAddress,
  isCurrentAddress,
  isFormerAddress,
  isSandboxRequest,
} from './addresses.ts'
import { asAdsProblem } from './as-ads-problem.ts'
import { adsProblemResponse, writeEnvelope } from './envelope.ts'
import { type Admitted, admit } from './gate.ts'
import { adsDocument } from './openapi.ts'
import { type BodyReader, compileAdsBody } from './read-body.ts'
import { type AdsExchange, readInput, type SpokenState } from './read-input.ts'
import { gatherSent } from './read-params.ts'

/** What the advertising interface keeps of a request. */
interface AdsState extends SpokenState {
  admitted: Admitted | undefined
}

/** The family of the advertising interface. */
export function adsFamily(
  operations: readonly AdsOperation[],
  reference: readonly string[],
  endpoints: readonly ReferenceOperation[],
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
    endpoints,
    legacy: adsLegacyNaming,
    document: adsDocument,
    covers: isAdsAddress,
    rewrite: adsRoute,
    compile: (operation, naming) => {
      compileData(operation, naming)
      if (operation.body) compileAdsBody(operation.body)
    },
    phases: adsPhases,
    problemFor: problemForLock,
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

/** The refusal when another change holds the account's lock for too long; undefined for other errors. */
export const problemForLock = (error: unknown): AdsProblem | undefined =>
  sqlState(error) === LOCK_NOT_AVAILABLE
    ? refusal('LOCK_ACQUISITION_TIMEOUT', 'Another change to this account is in progress. Try again.')
    : undefined

export const compileData = ({ data }: AdsOperation, naming: Naming): ((value: unknown) => string) =>
  data ? (compileWriter(data, naming) as (value: unknown) => string) : () => 'null'

function adsPhases(operation: AdsOperation, pathNaming: Naming | undefined, options: ServeOptions): Phases<AdsState> {
  const { runtime } = options
  const isLegacyByDefault = options.defaultNaming === 'legacy'
  // Compiled on first use: most processes see only a few of the operations.
  const writers: ((value: unknown) => string)[] = []
  let bodyReader: BodyReader | undefined
  const window = userWindow(operation.limit)
  const readBody = (exchange: AdsExchange, ignores: Ignores): unknown => {
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
      const sent = gatherSent(operation, exchange.facts, adsLegacyNaming)
      const pathValues = exchange.request.params as Record<string, string>
      const input = { admitted: state.admitted!, pathValues, sent, readBody }
      return readInput(operation, exchange, state, input, runtime)
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

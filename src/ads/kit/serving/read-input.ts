import type { Runtime } from '../../../api-kit/runtime.ts'
import type { Exchange } from '../../../api-kit/serving/serve-request.ts'
import { adsLegacyNaming } from '../../../legacy-words.ts'
import { AdsProblem } from '../errors.ts'
import { countTotalUse } from '../limits.ts'
import type { AdsInput, AdsOperation, Ignores } from '../operation.ts'
import { idKind } from '../values.ts'
import { addToEcho, type Echo } from './echo.ts'
import type { Admitted } from './gate.ts'
import { ignoresUnknown } from './ignored-names.ts'
import { readParams, readPathIds, type Sent, takeRepeatedPath } from './read-params.ts'
import type { SentWords } from './sent-words.ts'

/** What is known of a call, whether it came as a request or from this process. */
export type AdsExchange = Omit<Exchange, 'request'>

/** What a refusal repeats: the echo, and the words as they were sent. */
export interface SpokenState {
  sandbox: boolean
  echo: Echo
  words: SentWords | undefined
}

interface Given {
  admitted: Admitted
  /** Values of the path as they were sent. */
  pathValues: Record<string, string>
  sent: Sent
  readBody(exchange: AdsExchange, ignores: Ignores): unknown
}

/** Turns what was sent into the input of the handler, or refuses it. */
export async function readInput(
  operation: AdsOperation,
  exchange: AdsExchange,
  state: SpokenState,
  given: Given,
  runtime: Runtime,
): Promise<AdsInput> {
  const { admitted } = given
  const ignores = ignoresUnknown(runtime.strict, exchange)
  const { path, params } = readSent(operation, exchange, state, given, { ignores, strict: runtime.strict })
  const body = given.readBody(exchange, ignores)
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
  }
}

/** Reads path and parameters, and adds them to the echo as far as they can be read. */
function readSent(
  operation: AdsOperation,
  exchange: AdsExchange,
  state: SpokenState,
  { admitted: { account }, pathValues, sent }: Given,
  { ignores, strict }: { ignores: Ignores; strict: 'on' | 'off' },
) {
  const { echo } = state
  state.words = sent.words
  if (sent.isLegacy) exchange.naming = adsLegacyNaming
  const { naming } = exchange
  if (operation.path.includes('{account_id}')) addToEcho(echo, 'account_id', idKind, account.id, naming)
  const path = readPathIds(operation, pathValues, adsLegacyNaming)
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

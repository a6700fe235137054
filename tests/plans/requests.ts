import type { AdsOperation } from '../../src/ads/kit/operation.ts'
import { adsOperations } from '../../src/ads/operations.ts'
import type { Operation } from '../../src/api-kit/declaring/operation.ts'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import { families } from '../../src/app.ts'
import { type AdsScene, queryOf } from '../ads/ads-scene.ts'
import { loadAdsExamples } from '../ads/examples/example.ts'
import { loadExamples } from '../contract/examples/example.ts'
import type { Scene } from '../contract/scene.ts'
import { parameterNames, spellCall } from '../contract/spell-call.ts'
import { openStream } from '../support/read-stream.ts'
import type { As, TestAnswer } from '../support/server.ts'

const { operations } = families[0]

const examples = await loadExamples()
const adsExamples = await loadAdsExamples()

/** A request that was answered, or could not be made. */
export interface Outcome {
  id: string
  /** What kept it from succeeding. */
  refusal: string | undefined
}

type Note = (id: string, answer: { status: number; text?: string } | Error) => void

const refusalOf = (answer: { status: number; text?: string } | Error): string | undefined => {
  if (answer instanceof Error) return answer.message
  return answer.status < 300 ? undefined : `${answer.status} ${answer.text?.slice(0, 200)}`
}

/** Does something for an operation, and calls `done` with what came of it. */
const noting = (done: (outcome: Outcome) => void): Note => {
  return (id, answer) => done({ id, refusal: refusalOf(answer) })
}

/** The examples of all operations of version 2, and the second pages of those that have one. */
export async function runExamples(scene: Scene, done: (outcome: Outcome) => void): Promise<void> {
  const note = noting(done)
  for (const operation of operations)
    try {
      for (const call of await examples[operation.id]!(scene, scene.first)) {
        const { method, path, json } = spellCall(operation, neutral, call)
        const as = scene.first[call.as]
        if (operation.streaming) note(operation.id, await visitStream(scene, path))
        else {
          const answer = await scene.server.request(method, path, { as, json })
          note(operation.id, answer)
          await readNextPage(scene, operation, path, as, answer, note)
        }
      }
    } catch (error) {
      note(operation.id, error as Error)
    }
}

async function visitStream(scene: Scene, path: string): Promise<{ status: number; text?: string }> {
  const stream = await openStream(scene.server, path, scene.first.app)
  stream.close()
  await scene.endStreams()
  return stream
}

async function readNextPage(
  scene: Scene,
  operation: Operation,
  path: string,
  as: As,
  answer: TestAnswer,
  note: Note,
): Promise<void> {
  const token = answer.body?.meta?.next_token
  if (!token) return
  const name = parameterNames(operation, neutral).includes('next_token') ? 'next_token' : 'pagination_token'
  note(
    operation.id,
    await scene.server.request(operation.method, `${path}${path.includes('?') ? '&' : '?'}${name}=${token}`, { as }),
  )
}

const QUERIES = [
  'the',
  'the weather',
  '"the weather"',
  'the -weather',
  '(weather OR rain) lang:en',
  'from:alice',
  'to:alice',
  '@alice has:links',
  '#news',
  'the is:reply',
  'the -is:repost',
  'the is:quote',
  'the has:hashtags',
  'conversation_id:2039817263547801600',
  'the place_country:PT',
  'the min_likes:1',
]

/** Searches and counts of words that are frequent in seeded posts, and of each kind of operator. */
export async function runSearches(scene: Scene, done: (outcome: Outcome) => void): Promise<void> {
  const note = noting(done)
  const as = scene.first.app
  for (const query of QUERIES) {
    const text = encodeURIComponent(query)
    for (const path of [
      `search/recent?query=${text}`,
      `search/recent?query=${text}&sort_order=relevancy`,
      `search/all?query=${text}`,
      `counts/recent?query=${text}`,
      `counts/all?query=${text}&granularity=day`,
    ]) {
      const answer = await scene.server.get(`/2/posts/${path}`, as)
      note(`search ${query}`, answer)
      const token = answer.body?.meta?.next_token
      if (token) note(`search ${query}`, await scene.server.get(`/2/posts/${path}&next_token=${token}`, as))
    }
  }
}

/** The examples of all advertising operations, in the account of the scene. */
export async function runAdsExamples(scene: AdsScene, done: (outcome: Outcome) => void): Promise<void> {
  const note = noting(done)
  for (const operation of adsOperations)
    try {
      const call = await adsExamples[operation.id]!(scene)
      note(operation.id, await callAds(scene, operation, call.path, call.values, call.json, call.as))
    } catch (error) {
      note(operation.id, error as Error)
    }
}

type Values = Record<string, string | number | boolean | undefined>

function callAds(
  scene: AdsScene,
  operation: AdsOperation,
  path: Record<string, string> = {},
  values: Values = {},
  json?: unknown,
  as: As = { user: 'alice' },
): Promise<TestAnswer> {
  const filled: Record<string, string> = { account_id: scene.account, ...path }
  const address = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(filled[name]!))
  const query = queryOf(values)
  return scene.server.request(operation.method, `/ads-sandbox${address}${query === '' ? '' : `?${query}`}`, {
    as,
    ...(json === undefined ? {} : { json }),
  })
}

/** Lists of the account of the scene: each filter, each order, some of them together, and the page after the first. */
export async function runAdsLists(scene: AdsScene, done: (outcome: Outcome) => void): Promise<void> {
  const note = noting(done)
  const lists = adsOperations.filter(
    (operation) =>
      operation.method === 'GET' && operation.params.cursor && /^[^{]*(\{account_id\}[^{]*)?$/.test(operation.path),
  )
  for (const operation of lists) {
    if (Object.values(operation.params).some((param) => param.required)) continue
    const read = async (values: Values) => {
      const answer = await callAds(scene, operation, {}, values)
      note(operation.id, answer)
      return answer
    }
    const first = await read({})
    const record = first.body?.data?.[0] as Record<string, unknown> | undefined
    const filters: Values[] = [{}]
    for (const name of Object.keys(operation.params)) {
      const value = sampleValue(operation, name, record, scene)
      if (value !== undefined) filters.push({ [name]: value })
    }
    const sorts = operation.params.sort_by ? ordersOf(await callAds(scene, operation, {}, { sort_by: 'none' })) : []
    const pages = [
      ...filters.map((filter) => ({ ...filter, sort_by: sorts[1] })),
      ...[undefined, ...sorts].map((sort) => ({ sort_by: sort })),
      ...[undefined, ...sorts].map((sort) => ({ ...filters[1], sort_by: sort })),
    ]
    for (const asked of pages) {
      const values = { ...asked, ...(operation.params.count ? { count: 5 } : {}) }
      const page = await read(values)
      if (page.body?.next_cursor) await read({ ...values, cursor: page.body.next_cursor })
    }
    if (operation.params.with_total_count)
      for (const filter of filters) await read({ ...filter, with_total_count: true })
  }
}

/** The orders that a list has, each in one direction, as the refusal of another one names them. */
function ordersOf(refusal: TestAnswer): string[] {
  const words = String(refusal.body?.errors?.[0]?.details).match(/\b\w+-(?:asc|desc)\b/g) ?? []
  return words.filter((word, at) => word.endsWith(at % 4 === 0 ? 'asc' : 'desc') && at % 2 === Number(at % 4 !== 0))
}

/** A value that a filter takes, from a record of the list itself. */
function sampleValue(
  operation: AdsOperation,
  name: string,
  record: Record<string, unknown> | undefined,
  scene: AdsScene,
): string | boolean | undefined {
  if (['count', 'cursor', 'sort_by', 'with_total_count'].includes(name)) return undefined
  const { schema } = operation.params[name]!.kind
  const words = (schema.enum ?? schema.items?.enum) as string[] | undefined
  if (words) return words[0]
  if (schema.type === 'boolean') return true
  if (name === 'q') return 'sp'
  if (name === 'user_id') return scene.server.userId('alice')
  if (!name.endsWith('_ids')) return undefined
  return (record?.[name.slice(0, -1)] ?? record?.id) as string | undefined
}

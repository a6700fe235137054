import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { csv, textParameter, wholeNumber } from '../../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, fixedName, idSchema, type Static, Type, words } from '../../api-kit/declaring/schema.ts'
import { otherNotFound } from '../../api-kit/writing/partial-errors.ts'
import { invalidParameter, onlyError } from '../../api-kit/writing/problems.ts'
import { wireTime } from '../../process/clock.ts'
import { cutText } from '../../process/cut-text.ts'
import { isStorableId } from '../../process/ids.ts'
import { quote } from '../../search/post-terms.ts'
import { tokenize } from '../../search/tokenize.ts'
import { PostId } from '../ids.ts'
import { DISCLAIMER } from './make-news.ts'
import { newsById, newsFound } from './news.statements.ts'

const Text = Type.String()
const optional = Type.Optional
const Texts = optional(Type.Array(Text))
const NewsId = idSchema('NewsId')

const News = component(
  'News',
  Type.Object({
    category: optional(Text),
    cluster_posts_results: optional(Type.Array(Type.Object({ post_id: optional(fixedName(PostId)) }))),
    contexts: optional(
      Type.Object({
        entities: optional(
          Type.Object({ events: Texts, organizations: Texts, people: Texts, places: Texts, products: Texts }),
        ),
        finance: optional(Type.Object({ tickers: Texts })),
        sports: optional(Type.Object({ teams: Texts })),
        topics: Texts,
      }),
    ),
    disclaimer: optional(Text),
    hook: optional(Text),
    id: optional(NewsId),
    keywords: Texts,
    last_updated_at_ms: optional(Type.String({ format: 'date-time' })),
    name: optional(Text),
    rest_id: NewsId,
    summary: optional(Text),
  }),
)

const FIELDS = [
  'category',
  'cluster_posts_results',
  'contexts',
  'disclaimer',
  'hook',
  'id',
  'keywords',
  'last_updated_at_ms',
  'name',
  'summary',
  'updated_at',
] as const
const fields = { 'news.fields': csv(words(FIELDS), { unique: true, required: false }) }

type Story = NonNullable<Awaited<ReturnType<typeof newsById.first>>>

/** A story with the members that a request asks for. `updated_at` and `last_updated_at_ms` are the same member. */
function show(story: Story, asked: readonly string[]): Static<typeof News> {
  const has = (name: string) => asked.includes(name)
  return {
    rest_id: story.id,
    id: story.id,
    ...(has('name') ? { name: story.name } : {}),
    ...(has('summary') ? { summary: story.summary } : {}),
    ...(has('hook') ? { hook: story.hook } : {}),
    ...(has('category') ? { category: story.category } : {}),
    ...(has('contexts') ? { contexts: story.contexts as Static<typeof News>['contexts'] } : {}),
    ...(has('keywords') && story.keywords.length > 0 ? { keywords: story.keywords } : {}),
    ...(has('cluster_posts_results') ? { cluster_posts_results: story.post_ids.map((post_id) => ({ post_id })) } : {}),
    ...(has('updated_at') || has('last_updated_at_ms')
      ? { last_updated_at_ms: wireTime(story.updated_at.getTime()) }
      : {}),
    ...(has('disclaimer') ? { disclaimer: DISCLAIMER } : {}),
  }
}

export const getNews = defineOperation({
  id: 'getNews',
  route: 'GET /2/news/{id}',
  tag: 'News',
  summary: 'Look up a news story by id',
  auth: { app: true, oauth1: true, oauth2: ['post.read', 'users.read'] },
  limit: { app: '200/15m' },
  path: { id: NewsId },
  query: fields,
  reply: component('Get2NewsIdResponse', Type.Object({ data: optional(News), errors: ErrorsSchema })),
  handle: async ({ path, query, runtime }) => {
    const story = isStorableId(path.id) ? await newsById.first(runtime.database, path.id) : undefined
    if (!story) throw onlyError(otherNotFound('news', 'id', path.id))
    return { data: show(story, query['news.fields']) }
  },
})

const HOUR_MS = 3600_000
const MOST_WORDS = 50

export const searchNews = defineOperation({
  id: 'searchNews',
  route: 'GET /2/news/search',
  tag: 'News',
  summary: 'Find news stories by words, the latest first',
  auth: { app: true, oauth2: ['post.read', 'users.read'] },
  limit: { app: '200/15m', user: '200/15m' },
  query: {
    query: textParameter(Type.String({ minLength: 1, maxLength: 2048 }), { required: true }),
    max_results: wholeNumber({ min: 1, max: 100 }, { initial: 10 }),
    max_age_hours: wholeNumber({ min: 1, max: 720 }, { initial: 168 }),
    ...fields,
  },
  reply: component(
    'Get2NewsSearchResponse',
    Type.Object({
      data: optional(Type.Array(News, { minItems: 1 })),
      errors: ErrorsSchema,
      meta: optional(Type.Object({ result_count: optional(Type.Integer({ format: 'int32' })) })),
    }),
  ),
  handle: async ({ query, runtime }) => {
    const now = runtime.clock.now()
    const found = await newsFound.all(
      runtime.database,
      wordsQuery(query.query),
      new Date(now - query.max_age_hours * HOUR_MS),
      new Date(now),
      query.max_results,
    )
    const data = found.map((story) => show(story, query['news.fields']))
    return { ...(data.length > 0 ? { data } : {}), meta: { result_count: data.length } }
  },
})

/** All words of a text, in any order; those in quotation marks side by side. */
function wordsQuery(text: string): string {
  const parts = [...text.matchAll(/"([^"]*)"|[^\s"]+/g)].flatMap(([all, quoted]) => {
    const found = tokenize(quoted ?? all).slice(0, MOST_WORDS)
    return found.length === 0 ? [] : [`(${found.map((word) => quote(cutText(word, 100))).join(' <-> ')})`]
  })
  if (parts.length === 0) throw invalidParameter('query', text, 'The `query` query parameter must have a word.')
  return parts.slice(0, MOST_WORDS).join(' & ')
}

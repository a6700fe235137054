import { legacyNaming } from '../../src/legacy-words.ts'
import { checkQuery } from '../../src/search/check-query.ts'
import { compileQuery } from '../../src/search/match-query.ts'
import { type MatchablePost, matchablePost, type PostContent, type PostFacts } from '../../src/search/matchable-post.ts'
import type { QueryScope } from '../../src/search/operators.ts'
import { parseQuery, QueryError, type QueryNode } from '../../src/search/parse-query.ts'

/** Ids of the users whose names rules use here. `nobody_yet` has none. */
export const USER_IDS: ReadonlyMap<string, string> = new Map([
  ['alice', '101'],
  ['bob', '102'],
  ['acme', '900'],
])

export const contentOf = (text: string, more: Partial<PostContent> = {}): PostContent => ({
  text,
  hashtags: [],
  cashtags: [],
  mentions: [],
  urls: [],
  ...more,
})

type Change = Partial<Omit<PostFacts, 'author' | 'ids' | 'has' | 'metrics'>> & {
  author?: Partial<PostFacts['author']>
  ids?: Partial<PostFacts['ids']>
  has?: Partial<PostFacts['has']>
  metrics?: Partial<PostFacts['metrics']>
}

/** A plain English post of an ordinary user, with the given changes. */
export function postOf(change: Change = {}): MatchablePost {
  return matchablePost({
    ...contentOf('nothing of note'),
    id: '5000',
    lang: 'en',
    nullcast: false,
    source: 'Rostra Web',
    ...change,
    ids: { author: '777', conversation: '5000', ...change.ids },
    has: { media: false, images: false, videos: false, geo: false, ...change.has },
    author: {
      username: 'Someone',
      name: 'Some One',
      description: '',
      location: '',
      verified: false,
      followersCount: 0,
      followingCount: 0,
      postsCount: 1,
      listedCount: 0,
      affiliatedTo: [],
      ...change.author,
    },
    metrics: { likes: 0, replies: 0, reposts: 0, ...change.metrics },
  })
}

export const ruleOf = (value: string, scope: QueryScope = 'stream'): QueryNode =>
  checkQuery(parseQuery(value), scope, legacyNaming)

/** Whether a rule matches a post, evaluated by itself. */
export const fits = (value: string, post: MatchablePost, scope: QueryScope = 'stream'): boolean =>
  compileQuery(ruleOf(value, scope), USER_IDS, 'rule').matches(post)

/** Why a rule is rejected; empty when it is accepted. */
export function reasonsAgainst(value: string, scope: QueryScope = 'stream'): string[] {
  try {
    ruleOf(value, scope)
    return []
  } catch (error) {
    if (error instanceof QueryError) return error.reasons
    throw error
  }
}

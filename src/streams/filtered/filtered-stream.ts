import { singleReply } from '../../api-kit/declaring/reply.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import type { Selection } from '../../api-kit/reading/selection.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { hasFullTier } from '../../identity/tier-caps.ts'
import { post } from '../../social/posts/post.object.ts'
import { statement } from '../../storage/statement.ts'
import { defineStream } from '../define-stream.ts'
import { type Channel, notWithheld, reporting } from '../hub.ts'
import { type PostsWanted, writeEach } from '../public-posts.ts'
import { findRuleExcess } from '../rules/rule-compliance.ts'
import { streamingConnection } from '../stream-problems.ts'
import { FILTERED_FIELDS } from './filtered-fields.ts'
import { countMatches, matchPosts } from './match-posts.ts'
import { RuleSets } from './rule-sets.ts'

const hasRules = statement(
  'stream_has_rules',
  { found: 'bool' },
  `select exists (select from stream_rule where app_id = $1 and product = 'filtered') as found`,
)

/** The rule sets that the filtered streams of this process match posts against. */
export const filteredRuleSets = defineSingleton({
  name: 'filtered stream rules',
  create: (runtime) => new RuleSets(runtime),
})

const filteredChannel: Channel<PostsWanted> = {
  async deliver(runtime, events, subscribers) {
    const appIds = [...new Set(subscribers.map((subscriber) => subscriber.stream.caller.app.id))]
    const sets = runtime.singleton(filteredRuleSets)
    const matched = await matchPosts(runtime, sets, appIds, events, reporting(runtime))
    countMatches(runtime, matched)
    const shown = new Set(
      notWithheld(
        runtime,
        [...matched.values()].flatMap((hits) => hits.map((hit) => hit.post)),
      ),
    )
    await writeEach(runtime, subscribers, ({ stream }) =>
      (matched.get(stream.caller.app.id) ?? [])
        .filter(({ post }) => shown.has(post))
        .map(({ post, more }) => ({ id: post.row.id, more, parts: post.parts })),
    )
  },
}

const reply = singleReply('FilteredStreamingPostResponse', post)
reply.properties.matching_rules = Type.Optional(
  Type.Array(
    Type.Object({
      id: component('RuleId', Type.String({ pattern: '^[0-9]{1,19}$' })),
      tag: Type.Optional(component('RuleTag', Type.String())),
    }),
  ),
)

export const streamPosts = defineStream({
  id: 'streamPosts',
  route: 'GET /2/posts/search/stream',
  tag: 'Stream',
  summary: 'Stream the posts that match the rules of the app',
  endpoint: 'filtered_stream',
  limit: { app: '50/15m' },
  connections: (caller) => (hasFullTier(caller) ? 2 : 1),
  recovery: true,
  query: FILTERED_FIELDS,
  reply,
  channel: filteredChannel,
  endOnTierChange: async (runtime, caller) => {
    const { tooLong, tooMany } = await findRuleExcess(runtime.database, caller)
    return tooLong === undefined && tooMany === undefined ? 'ClientApplicationStateDegraded' : 'InvalidRules'
  },
  wants: async ({ query, caller, runtime }) => {
    if (!(await hasRules.first(runtime.database, caller.app.id))?.found)
      throw streamingConnection(
        'RuleConfigurationIssue',
        say`You must define rules using the POST ${named('/2/posts/search/stream/rules')} endpoint before connecting to filtered stream.`,
      )
    const { tooLong, tooMany } = await findRuleExcess(runtime.database, caller)
    if (tooLong !== undefined || tooMany !== undefined)
      throw streamingConnection('RulesInvalidIssue', `${tooLong ?? tooMany} Delete rules before you connect.`)
    // Without an open stream of the app, changes to its rules were not followed.
    runtime.singleton(filteredRuleSets).invalidate(caller.app.id)
    return { selection: query.selection as Selection }
  },
})

import { closed, Type } from '../../api-kit/declaring/schema.ts'
import { defineSingleton } from '../../api-kit/singleton.ts'
import { readEvents, readHead } from '../../events/log-tail.ts'
import { isStorableId } from '../../process/ids.ts'
import { userRow } from '../../social/users/user.parts.ts'
import { matchPosts } from '../../streams/filtered/match-posts.ts'
import { RuleSets } from '../../streams/filtered/rule-sets.ts'
import { defineCommand, findApp, NameOrId } from '../command.ts'

const PAGE = 500
const RECENT = 1_000n

/** The rules that operators look at, apart from those that streams follow change by change. */
export const watchedRules = defineSingleton({
  name: 'watched stream rules',
  create: (runtime) => new RuleSets(runtime),
})

/**
 * The posts of the event log after a sequence that match the present rules of an app, whether or not it has a stream. Without a
 * sequence it begins shortly before the end of the log. `last` is where the next call goes on.
 */
export const streamMatches = defineCommand(
  'streams.matches',
  closed({ app: NameOrId, after: Type.Optional(Type.String({ pattern: '^[0-9]{1,19}$' })) }),
  async (runtime, { app, after }) => {
    const { database } = runtime
    const { id: appId } = await findApp(runtime, app)
    const head = BigInt(await readHead(database))
    const recent = head > RECENT ? head - RECENT : 0n
    const start = after !== undefined && isStorableId(after) && BigInt(after) <= head ? after : String(recent)
    const events = await readEvents(database, start, PAGE)
    const sets = runtime.singleton(watchedRules)
    sets.invalidate(appId)
    const matched = await matchPosts(runtime, sets, [appId], events, () => {})
    const shown = (matched.get(appId) ?? []).filter(({ post }) => post.withheld === undefined)
    const authors = await runtime.parts.many(userRow, [...new Set(shown.map(({ post }) => post.row.author_id))])
    return {
      matches: shown.map(({ post, ids }) => ({
        sequence: post.event.sequence,
        event_type: post.event.type,
        happened_at: post.event.happened_at,
        post_id: post.row.id,
        author: authors.get(post.row.author_id)?.username ?? null,
        text: post.row.note_text ?? post.row.text,
        rule_ids: ids,
      })),
      last: events.at(-1)?.sequence ?? start,
      has_more: events.length === PAGE,
    }
  },
)

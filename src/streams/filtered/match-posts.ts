import type { PartReader } from '../../api-kit/reading/part-cache.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { LoggedEvent } from '../../events/catalog.ts'
import type { MatchablePost } from '../../search/matchable-post.ts'
import { type NewPost, newPosts } from '../public-posts.ts'
import { type Memberships, membershipsOf } from './list-memberships.ts'
import { matchablePosts } from './post-facts.ts'
import { ruleMatches } from './rule-matches.ts'
import { matchingRules, type RuleSets } from './rule-sets.ts'

/** A post that matches rules of an app, with their ids; `more` is the member of the answer with these rules. */
export interface MatchedPost {
  post: NewPost
  ids: readonly string[]
  more: string
}

/**
 * Matches the posts of events with the rules of apps. A change of rules applies from its own sequence in the log, so every
 * process uses the new rules for a post that was written after the change was acknowledged.
 */
export async function matchPosts(
  runtime: Runtime,
  sets: RuleSets,
  appIds: readonly string[],
  events: readonly LoggedEvent[],
  gone: (event: LoggedEvent, reason: string) => void,
): Promise<Map<string, MatchedPost[]>> {
  const matched = new Map<string, MatchedPost[]>(appIds.map((id) => [id, []]))
  for (const section of splitAtRuleChanges(events, matched)) {
    for (const id of section.changed) sets.invalidate(id)
    const rules = await sets.of(appIds)
    const posts = await newPosts(runtime, section.events, gone)
    const lists = [...rules.values()].flatMap((set) => [...set.lists.values()].flat())
    for (const [post, facts] of await factsOf(posts, await membershipsOf(runtime, lists, posts))) {
      for (const [appId, hits] of matched) {
        const match = matchingRules(rules.get(appId)!, facts)
        if (!match) continue
        hits.push({ post, ...match })
      }
    }
  }
  return matched
}

/** Counts the matches of apps, for those that streams and webhooks show. */
export function countMatches(runtime: Runtime, matched: ReadonlyMap<string, readonly MatchedPost[]>): void {
  const counts = runtime.singleton(ruleMatches)
  for (const [appId, hits] of matched)
    for (const { post, ids } of hits) if (post.withheld === undefined) counts.note(appId, post.event.sequence, ids)
}

/** Posts with what rules can test, in the same order. */
async function factsOf(
  posts: readonly NewPost[],
  memberships: Memberships,
): Promise<(readonly [NewPost, MatchablePost])[]> {
  const byReader = new Map<PartReader, NewPost[]>()
  for (const post of posts) {
    const group = byReader.get(post.parts)
    if (group) group.push(post)
    else byReader.set(post.parts, [post])
  }
  const found = new Map<string, MatchablePost>()
  for (const [parts, group] of byReader) {
    const rows = group.map((post) => post.row)
    for (const facts of await matchablePosts(parts, rows, memberships)) found.set(facts.facts.id, facts)
  }
  return posts.flatMap((post) => {
    const facts = found.get(post.row.id)
    return facts ? [[post, facts] as const] : []
  })
}

interface EventSection {
  /** Apps whose rules changed right before. */
  changed: string[]
  events: LoggedEvent[]
}

// Splits events where the rules of one of the apps change.
function splitAtRuleChanges(events: readonly LoggedEvent[], apps: ReadonlyMap<string, unknown>): EventSection[] {
  const found: EventSection[] = [{ changed: [], events: [] }]
  for (const event of events) {
    if (event.type !== 'stream_rules.change') {
      found.at(-1)!.events.push(event)
      continue
    }
    const { app_id, product } = event.payload as { app_id: string; product: string }
    if (product === 'filtered' && apps.has(app_id)) found.push({ changed: [app_id], events: [] })
  }
  return found
}

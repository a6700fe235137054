import type { Runtime } from '../../api-kit/runtime.ts'
import { type LoggedEvent, newPostOf } from '../../events/catalog.ts'
import { toldPosts } from '../told-posts.ts'
import { matchablePosts } from './post-facts.ts'
import { matchingRules, type RuleSets } from './rule-sets.ts'

/** A post that fits rules of an app; `more` names them as a member of the answer. */
export interface Matched {
  id: string
  place: string
  more: string
}

/**
 * Holds the posts of events against the rules of apps. A change of rules counts from its own place in the log on: a post
 * that was written after the change was acknowledged is matched by the new rules, in every process.
 */
export async function matchPosts(
  runtime: Runtime,
  sets: RuleSets,
  appIds: readonly string[],
  events: readonly LoggedEvent[],
): Promise<Map<string, Matched[]>> {
  const matched = new Map<string, Matched[]>(appIds.map((id) => [id, []]))
  for (const stretch of stretches(events, matched)) {
    for (const id of stretch.changed) sets.invalidate(id)
    const rules = await sets.of(appIds)
    const rows = await toldPosts(runtime, stretch.events)
    const placeOf = new Map(stretch.events.map((event) => [newPostOf(event), event.sequence]))
    for (const post of await matchablePosts(runtime, rows)) {
      for (const [appId, hits] of matched) {
        const more = matchingRules(rules.get(appId)!, post)
        if (more !== undefined) hits.push({ id: post.facts.id, place: placeOf.get(post.facts.id)!, more })
      }
    }
  }
  return matched
}

interface Stretch {
  /** Apps whose rules were changed right before. */
  changed: string[]
  events: LoggedEvent[]
}

// Cut where the rules of one of the apps change.
function stretches(events: readonly LoggedEvent[], apps: ReadonlyMap<string, unknown>): Stretch[] {
  const found: Stretch[] = [{ changed: [], events: [] }]
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

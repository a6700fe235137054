import type { Runtime } from '../../api-kit/runtime.ts'
import { type LoggedEvent, newPostOf } from '../../events/catalog.ts'
import { newPublicPosts } from '../public-posts.ts'
import { matchablePosts } from './post-facts.ts'
import { matchingRules, type RuleSets } from './rule-sets.ts'

/** A post that matches rules of an app; `more` is the member of the answer with these rules. */
export interface MatchedPost {
  id: string
  sequence: string
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
): Promise<Map<string, MatchedPost[]>> {
  const matched = new Map<string, MatchedPost[]>(appIds.map((id) => [id, []]))
  for (const section of splitAtRuleChanges(events, matched)) {
    for (const id of section.changed) sets.invalidate(id)
    const rules = await sets.of(appIds)
    const rows = await newPublicPosts(runtime, section.events)
    const sequences = new Map(section.events.map((event) => [newPostOf(event), event.sequence]))
    for (const post of await matchablePosts(runtime, rows)) {
      for (const [appId, hits] of matched) {
        const more = matchingRules(rules.get(appId)!, post)
        if (more !== undefined) hits.push({ id: post.facts.id, sequence: sequences.get(post.facts.id)!, more })
      }
    }
  }
  return matched
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

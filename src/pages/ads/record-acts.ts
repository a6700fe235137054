import { OUTCOME } from '../../ads/serving/outcomes.ts'
import { recordOutcome } from '../../ads/serving/record-outcome.ts'
import { findShownAd, type ShownAd } from '../../ads/shown-ads/shown-ad.ts'
import { addFacts } from '../../social/insights/fact-buffer.ts'
import type { FactKind } from '../../social/insights/facts.ts'
import { adOf, type PageRequest } from '../page-request.ts'

/** What people do with an ad on pages: the bits that it counts as, and what it is to the post. */
const ACTS = {
  like: { outcomes: OUTCOME.likes },
  repost: { outcomes: OUTCOME.reposts },
  reply: { outcomes: OUTCOME.replies },
  follow: { outcomes: OUTCOME.follows },
  link: { outcomes: OUTCOME.clicks | OUTCOME.url_clicks, fact: 'link_click' },
  card: { outcomes: OUTCOME.clicks | OUTCOME.url_clicks | OUTCOME.card_engagements, fact: 'link_click' },
  profile: { outcomes: OUTCOME.clicks, fact: 'profile_click' },
  details: { outcomes: OUTCOME.clicks, fact: 'detail_expand' },
} as const satisfies Record<string, { outcomes: number; fact?: FactKind }>
export type Act = keyof typeof ACTS

export const isAct = (name: string): name is Act => Object.hasOwn(ACTS, name)

/** What an act is about: a post or a user. */
type Target = { postId: string | undefined } | { userId: string | undefined }

/**
 * Counts what the viewer did after they saw an ad, if it is about what the ad showed. The page names the impression; one that the
 * viewer never saw counts nothing. Returns whether it counted.
 */
export async function recordAct(page: PageRequest, act: Act, target: Target): Promise<boolean> {
  const { viewer, runtime } = page
  const impressionId = adOf(page)
  if (impressionId === undefined || !viewer || page.request.method === 'HEAD') return false
  const ad = await findShownAd(runtime.database, viewer.id, impressionId)
  if (!ad || !isAbout(ad, target)) return false
  const rule: { outcomes: number; fact?: FactKind } = ACTS[act]
  // What was done is done: a failure to count it is not the viewer's.
  try {
    await recordOutcome(runtime, { viewer: ad.viewer, impressionId, outcomes: rule.outcomes })
  } catch (error) {
    runtime.log.error({ err: error }, 'what followed an ad was not counted')
  }
  if (rule.fact && ad.postId !== null)
    addFacts(runtime, [
      { postId: ad.postId, kind: rule.fact, count: 1, atMs: page.now, promoted: true, viewerId: viewer.id },
    ])
  return true
}

const isAbout = (ad: ShownAd, target: Target): boolean =>
  'postId' in target ? ad.postId !== null && target.postId === ad.postId : target.userId === ad.userId

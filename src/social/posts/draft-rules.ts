import type { Caller } from '../../api-kit/declaring/caller.ts'
import { tierTooLow } from '../../api-kit/serving/gate.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { type Fault, forbidden, invalidParameter, invalidRequest } from '../../api-kit/writing/problems.ts'
import { FULL_TIERS, hasFullTier } from '../../identity/tier-caps.ts'
import type { PostDraft } from './create-post.body.ts'

const EXCLUSIVE = ['poll', 'quote_post_id', 'direct_message_deep_link', 'media', 'card_uri'] as const
const NOT_WITH_EDIT = [
  'poll',
  'quote_post_id',
  'direct_message_deep_link',
  'reply',
  'reply_settings',
  'community_id',
  'share_with_followers',
  'geo',
  'nullcast',
] as const

const textOf = (draft: PostDraft, name: keyof PostDraft): string =>
  typeof draft[name] === 'string' ? (draft[name] as string) : JSON.stringify(draft[name])

/** Rejects a draft that is never valid, whatever is stored. */
export function checkDraft(draft: PostDraft): void {
  const faults: Fault[] = []
  const given = EXCLUSIVE.filter((name) => draft[name] !== undefined)
  if (given.length > 1) {
    faults.push({
      parameters: Object.fromEntries(given.map((name) => [name, [textOf(draft, name)]])),
      message: say`You can only provide one of poll or ${named('quote_post_id')} or direct_message_deep_link or media or card_uri.`,
    })
  }
  if (draft.for_super_followers_only) {
    faults.push({
      parameters: { for_super_followers_only: ['true'] },
      message: say`Posts for subscribers only cannot be created: this server has no subscriptions between users yet.`,
    })
  }
  if (draft.share_with_followers && draft.community_id === undefined) {
    faults.push({
      parameters: { share_with_followers: ['true'] },
      message: 'share_with_followers can only be given together with community_id.',
    })
  }
  if (draft.media === undefined && (draft.text ?? '').trim() === '')
    faults.push({
      parameters: { text: draft.text === undefined ? [] : [draft.text] },
      message: say`The text of a post cannot be empty.`,
    })
  if (draft.edit_options) {
    for (const name of NOT_WITH_EDIT) {
      if (draft[name] !== undefined)
        faults.push({
          parameters: { [name]: [textOf(draft, name)] },
          message: say`${named(name)} cannot be given together with edit_options: an edit keeps the value of the first version.`,
        })
    }
  }
  if (faults.length > 0) throw invalidRequest(faults)
}

/** Only the larger tiers may quote posts through the interface. */
export function checkQuoteTier(caller: Caller): void {
  if (!hasFullTier(caller)) throw tierTooLow(caller, FULL_TIERS)
}

const notEngaged =
  'Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.'
export const replyNotAllowed = (reason: string) => forbidden(notEngaged, reason)

/** On the smaller tiers, a user may reply only to an author who mentioned or quoted them. */
export function needsInvitation(caller: Caller): boolean {
  return !hasFullTier(caller)
}

export function checkCashtags(caller: Caller, cashtags: number): void {
  if (!hasFullTier(caller) && cashtags > 1)
    throw forbidden(
      say`On this tier a post can have at most one cashtag.`,
      `${cashtags} cashtags on the tier ${caller.app.tier}`,
    )
}

/** A deep link opens a conversation with a user. */
export function checkDeepLink(link: string | undefined): void {
  if (link === undefined) return
  const url = URL.canParse(link) ? new URL(link) : undefined
  if (url && /^https?:$/.test(url.protocol) && /^\d{1,19}$/.test(url.searchParams.get('recipient_id') ?? '')) return
  throw invalidParameter(
    'direct_message_deep_link',
    link,
    'direct_message_deep_link must be an https address with a recipient_id.',
  )
}

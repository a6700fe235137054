import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { blank, forbidden, invalidParameter, tooManyRequests } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { communityRow } from '../communities/community.parts.ts'
import { judgeLists } from '../lists/list.object.ts'
import { listRow } from '../lists/list.parts.ts'
import { messageEventRow, seenEvents } from '../messages/message-event.object.ts'
import { findPostToActOn } from '../posts/find-visible-post.ts'
import { spaceRow, visibleSpaces } from '../spaces/space.object.ts'
import { typedText } from '../text/typed-text.ts'
import { unescapeMarkup } from '../text/wire-text.ts'
import { findUserToActOn } from '../users/find-readable-user.ts'
import { reportAdd } from './report.statements.ts'

export const REPORTED_KINDS = ['post', 'user', 'message', 'space', 'community', 'list'] as const
export type ReportedKind = (typeof REPORTED_KINDS)[number]

/** Why something is reported, with the words that pages show. */
export const REPORT_REASONS = {
  spam: 'Spam',
  abuse: 'Abuse or harassment',
  hate: 'Hate',
  violence: 'Violent speech',
  self_harm: 'Suicide or self-harm',
  sensitive: 'Sensitive or disturbing media',
  impersonation: 'Impersonation',
  privacy: 'Private information',
  illegal: 'Illegal goods or activities',
  other: 'Something else',
} as const
export type ReportReason = keyof typeof REPORT_REASONS

export const LONGEST_COMMENT = 500
const LONGEST_EXCERPT = 500
const LIMIT = { limit: 50, seconds: 24 * 3600 }

/** What a user reports. */
export interface ReportDraft {
  kind: string
  id: string
  reason: string
  comment?: string
}

/** What was reported: who is responsible for it, and its text. */
interface Subject {
  ownerId: string | null
  excerpt: string
}

/** What can be reported, by kind. A user reports only what they can see. */
const FIND: Record<ReportedKind, (context: ReadContext, id: string) => Promise<Subject | undefined>> = {
  post: async (context, id) => {
    const row = await findPostToActOn(context, id, 'id')
    return { ownerId: row.author_id, excerpt: typedText(row) }
  },
  user: async (context, id) => {
    const row = await findUserToActOn(context, id, 'id')
    return { ownerId: row.id, excerpt: `${row.name} @${row.username} ${row.description}` }
  },
  message: async (context, id) => {
    if (!isStorableId(id) || !(await seenEvents(context, [id])).has(id)) return undefined
    const row = await context.parts.one(messageEventRow, id)
    return row?.type === 'MessageCreate'
      ? { ownerId: row.sender_id, excerpt: unescapeMarkup(row.text ?? '') }
      : undefined
  },
  space: async (context, id) => {
    const row = /^[0-9A-Za-z]{1,13}$/.test(id) ? await context.parts.one(spaceRow, id) : undefined
    if (!row || !(await visibleSpaces(context, [row])).has(row.id)) return undefined
    return { ownerId: row.creator_id, excerpt: row.title }
  },
  community: async (context, id) => {
    const row = isStorableId(id) ? await context.parts.one(communityRow, id) : undefined
    return row && { ownerId: null, excerpt: `${row.name} ${row.description}`.trim() }
  },
  list: async (context, id) => {
    const row = isStorableId(id) ? await context.parts.one(listRow, id) : undefined
    if (!row || (await judgeLists(context, [row]))[0]) return undefined
    return { ownerId: row.owner_id, excerpt: `${row.name} ${row.description}`.trim() }
  },
}

const isOneOf = <T extends string>(words: readonly T[], text: string): text is T =>
  (words as readonly string[]).includes(text)

function check(draft: ReportDraft): { kind: ReportedKind; reason: ReportReason; comment: string } {
  const { kind, reason } = draft
  const reasons = Object.keys(REPORT_REASONS) as ReportReason[]
  if (!isOneOf(REPORTED_KINDS, kind))
    throw invalidParameter('kind', kind, `kind must be one of [${REPORTED_KINDS.join(',')}]`)
  if (!isOneOf(reasons, reason))
    throw invalidParameter('reason', reason, `reason must be one of [${reasons.join(',')}]`)
  const comment = (draft.comment ?? '').trim()
  if (comment.length > LONGEST_COMMENT)
    throw invalidParameter(
      'comment',
      `${comment.slice(0, 50)}…`,
      `comment must have at most ${LONGEST_COMMENT} characters`,
    )
  return { kind, reason, comment }
}

/**
 * The user of the context reports something to the operator. Reporting the same thing again changes the open report. Returns the
 * id of the report.
 */
export async function report(runtime: Runtime, context: ReadContext, draft: ReportDraft): Promise<string> {
  const reporter = context.caller?.user
  if (!reporter) throw forbidden('Only users can report something.', 'there is no user')
  const { kind, reason, comment } = check(draft)
  const subject = await FIND[kind](context, draft.id)
  if (!subject) throw blank(404, `There is no ${kind} [${draft.id}], or you cannot see it.`)
  if (subject.ownerId === reporter.id)
    throw forbidden('You cannot report yourself or what you wrote.', 'the reporter is responsible for it')
  const state = await runtime.limiter.take(`report ${reporter.id}`, LIMIT)
  if (state.exceeded) throw tooManyRequests(`a user can report ${LIMIT.limit} times a day`)
  const stored = await reportAdd.first(
    runtime.database,
    runtime.ids.next(),
    reporter.id,
    kind,
    draft.id,
    subject.ownerId,
    reason,
    comment,
    cut(subject.excerpt),
    new Date(runtime.clock.now()),
  )
  return stored!.id
}

/** The beginning of a text, without half of a character at its end. */
const cut = (text: string): string => [...text.slice(0, 2 * LONGEST_EXCERPT)].slice(0, LONGEST_EXCERPT).join('').trim()

import { change, type Runtime } from '../../api-kit/runtime.ts'
import { forbidden, invalidParameter } from '../../api-kit/writing/problems.ts'
import { textWords } from '../../search/post-terms.ts'
import type { Tx } from '../../storage/database.ts'
import { shortLink } from '../links/short-link.ts'
import { composeText } from '../text/compose-text.ts'
import { detectLanguage } from '../text/detect-language.ts'
import { changeSpace, findActor } from './change-space.ts'
import { goLive } from './run-space.ts'
import { spaceAdd, spaceCreatorLock, spaceLock, spacesOpen, spaceUpdate } from './space.statements.ts'
import { spaceIdOf } from './space-ids.ts'
import { TOPICS } from './topics.data.ts'

/** A new space. Without a start in the future it is live at once. */
export interface SpaceDraft {
  creatorId: string
  title: string
  scheduledStart?: Date
  lang?: string
  isTicketed?: boolean
  /** Hosts besides the creator. */
  hostIds?: readonly string[]
  invitedUserIds?: readonly string[]
  topicIds?: readonly string[]
}

/** Hosts and those who may speak, together. */
export const MOST_SPEAKERS = 10
const MOST_SCHEDULED = 10
const LATEST_START_MS = 14 * 24 * 3600_000

/** Creates a space, and starts it where it is not scheduled. The interface has no operation for this. */
export async function createSpace(runtime: Runtime, draft: SpaceDraft): Promise<string> {
  const creator = await findActor(runtime, draft.creatorId)
  if (creator.protected)
    throw forbidden(
      `@${creator.username} is protected. A protected account cannot create spaces.`,
      'the account of the creator is protected',
    )
  const now = runtime.clock.now()
  checkStart(draft.scheduledStart, now)
  checkTopics(draft.topicIds ?? [])
  const hostIds = [...new Set([draft.creatorId, ...(draft.hostIds ?? [])])]
  if (hostIds.length > MOST_SPEAKERS)
    throw invalidParameter('hosts', undefined, `A space has at most ${MOST_SPEAKERS} hosts and speakers.`)
  const { title, words, lang } = await readTitle(draft.title, draft.lang)
  const id = spaceIdOf(runtime.ids.next())
  await change(runtime, async (tx, invalidate) => {
    await spaceCreatorLock.count(tx, draft.creatorId)
    if (draft.scheduledStart !== undefined) await checkScheduled(tx, creator)
    await spaceAdd.count(
      tx,
      id,
      draft.creatorId,
      title,
      words,
      lang,
      draft.isTicketed ?? false,
      hostIds,
      [...new Set(draft.invitedUserIds ?? [])],
      [...new Set(draft.topicIds ?? [])],
      draft.scheduledStart ?? null,
      new Date(now),
    )
    if (draft.scheduledStart !== undefined) return
    await goLive(runtime, { tx, invalidate, now: new Date(now), row: (await spaceLock.first(tx, id))! })
  })
  return id
}

/** What can be changed of a space that has not ended. */
export interface SpaceChanges {
  title?: string
  topicIds?: readonly string[]
  scheduledStart?: Date
}

/** Changes a space. */
export async function updateSpace(runtime: Runtime, id: string, changes: SpaceChanges): Promise<void> {
  checkTopics(changes.topicIds ?? [])
  const titled = changes.title === undefined ? undefined : await readTitle(changes.title)
  await changeSpace(
    runtime,
    id,
    { states: changes.scheduledStart ? ['scheduled'] : ['scheduled', 'live'], does: 'changed so' },
    async ({ tx, row, now }) => {
      checkStart(changes.scheduledStart, now.getTime())
      const { title, words, lang } = titled ?? { title: row.title, words: textWords(row.title), lang: row.lang }
      const topics = changes.topicIds ? [...new Set(changes.topicIds)] : row.topic_ids
      await spaceUpdate.count(tx, id, title, words, lang, topics, changes.scheduledStart ?? row.scheduled_start, now)
    },
  )
}

async function readTitle(given: string, lang?: string): Promise<{ title: string; words: string[]; lang: string }> {
  const { typed } = composeText(given.trim(), { shortLink })
  return {
    title: typed.text,
    words: [...new Set(textWords(typed.text))],
    lang: lang ?? (await detectLanguage(typed.text, typed.entities)),
  }
}

function checkStart(start: Date | undefined, now: number): void {
  if (start === undefined) return
  const ms = start.getTime()
  if (ms > now && ms <= now + LATEST_START_MS) return
  throw invalidParameter(
    'scheduled_start',
    start.toISOString(),
    'A space can be scheduled at most 14 days ahead, and not in the past.',
  )
}

function checkTopics(ids: readonly string[]): void {
  const unknown = ids.find((id) => !Object.hasOwn(TOPICS, id))
  if (unknown === undefined) return
  const all = Object.entries(TOPICS).map(([id, [name]]) => `${id} (${name})`)
  throw invalidParameter('topics', unknown, `There is no topic [${unknown}]. The topics are: ${all.join(', ')}.`)
}

async function checkScheduled(tx: Tx, { id, username }: { id: string; username: string }): Promise<void> {
  const { scheduled } = (await spacesOpen.first(tx, id))!
  if (scheduled >= MOST_SCHEDULED)
    throw forbidden(`@${username} has ${scheduled} scheduled spaces, and can have at most ${MOST_SCHEDULED}.`)
}

import { change, type Invalidate, type Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { timeOfId } from '../../process/ids.ts'
import { textWords } from '../../search/post-terms.ts'
import type { Tx } from '../../storage/database.ts'
import { shortLink } from '../links/short-link.ts'
import { composeText } from '../text/compose-text.ts'
import { roleKey } from './community.parts.ts'
import { communityAdd, communityUpdate, membersAdd } from './community.statements.ts'
import { changeCommunity, requireRole } from './membership.ts'

/** What a community is created from. Its access never changes: posts in a closed one must not become public, nor the other way round. */
export interface CommunityDraft {
  /** The first admin. */
  creatorId: string
  name: string
  description?: string
  access?: string
  joinPolicy?: string
}

/** Creates a community. The interface has no operation for this. */
export async function createCommunity(
  tx: Tx,
  invalidate: Invalidate,
  draft: CommunityDraft & { id: string; memberIds?: readonly string[] },
): Promise<void> {
  const { id, creatorId, memberIds = [] } = draft
  const text = communityText(draft.name, draft.description ?? '')
  await communityAdd.count(
    tx,
    id,
    text.name,
    text.description,
    draft.access ?? 'Public',
    draft.joinPolicy ?? 'Open',
    text.words,
    new Date(timeOfId(id)),
  )
  await membersAdd.count(tx, id, [creatorId], 'admin')
  if (memberIds.length > 0) await membersAdd.count(tx, id, memberIds, 'member')
  invalidate('community', id)
  invalidate('community_role', ...[creatorId, ...memberIds].map((userId) => roleKey(userId, id)))
}

/** The same in a transaction of its own. Returns the id. */
export async function addCommunity(runtime: Runtime, draft: CommunityDraft): Promise<string> {
  const id = runtime.ids.next()
  await change(runtime, (tx, invalidate) => createCommunity(tx, invalidate, { ...draft, id }))
  return id
}

/** What an admin can change. */
export interface CommunityChanges {
  name?: string
  description?: string
  joinPolicy?: string
}

/** Changes a community. */
export const updateCommunity = (
  runtime: Runtime,
  id: string,
  adminId: string,
  changes: CommunityChanges,
): Promise<void> =>
  changeCommunity(runtime, id, [adminId], async ({ tx, row }) => {
    await requireRole(tx, id, adminId, ['admin'])
    const { name, description, words } = communityText(changes.name ?? row.name, changes.description ?? row.description)
    await communityUpdate.count(tx, id, name, description, changes.joinPolicy ?? row.join_policy, words)
  })

/** The name and description of a community as they are stored, with the words that it is found by. */
export function communityText(givenName: string, givenDescription: string) {
  const [name, description] = [givenName, givenDescription].map(
    (text) => composeText(text.trim(), { shortLink }).typed.text,
  ) as [string, string]
  if (name === '') throw invalidParameter('name', givenName, 'A community needs a name.')
  return { name, description, words: [...new Set(textWords(`${name} ${description}`))] }
}

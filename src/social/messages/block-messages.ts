import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { UserId } from '../ids.ts'
import { invalidateRelation, messagePairLock, pairOfPath, type UserPair } from '../user-pair.ts'
import { findUserToActOn } from '../users/find-readable-user.ts'
import { messageBlockAdd, messageBlockRemove } from './message.statements.ts'

const declared = {
  tag: 'Users',
  auth: { oauth1: true, oauth2: ['dm.write', 'post.read', 'users.read'], level: 'read-write-messages' },
  limit: { app: '25/15m + 1000/24h', user: '10/15m + 400/24h' },
  path: { id: UserId },
} as const
const reply = (name: string) =>
  component(
    name,
    Type.Object({
      data: Type.Optional(Type.Object({ blocked: Type.Optional(Type.Boolean()) })),
      errors: ErrorsSchema,
    }),
  )

/** Stops or allows the messages of a user. Nothing else between the two changes, and nobody is told. */
export async function setMessageBlock(runtime: Runtime, pair: UserPair, isBlocked: boolean): Promise<void> {
  const { sourceId, targetId } = pair
  await change(runtime, async (tx, invalidate) => {
    invalidateRelation(invalidate, pair)
    if (!isBlocked) return messageBlockRemove.count(tx, sourceId, targetId)
    // Messages that are being stored come before the block.
    await messagePairLock.count(tx, sourceId, targetId)
    return messageBlockAdd.count(tx, sourceId, targetId, new Date(runtime.clock.now()))
  })
}

export const blockUsersDms = defineOperation({
  ...declared,
  id: 'blockUsersDms',
  route: 'POST /2/users/{id}/dm/block',
  summary: 'Block the messages of a user',
  reply: reply('UsersDMBlockCreateResponse'),
  handle: async ({ path, caller, context, runtime }) => {
    const sourceId = userOf(caller).id
    const target = await findUserToActOn(context, path.id, 'id')
    if (target.id === sourceId) throw invalidParameter('id', path.id, 'You cannot block your own messages.')
    await setMessageBlock(runtime, { sourceId, targetId: target.id }, true)
    return { data: { blocked: true } }
  },
})

export const unblockUsersDms = defineOperation({
  ...declared,
  id: 'unblockUsersDms',
  route: 'POST /2/users/{id}/dm/unblock',
  summary: 'Allow the messages of a user again',
  reply: reply('UsersDMUnBlockCreateResponse'),
  handle: async ({ path, caller, runtime }) => {
    const pair = pairOfPath(caller, path.id)
    if (pair) await setMessageBlock(runtime, pair, false)
    return { data: { blocked: false } }
  },
})

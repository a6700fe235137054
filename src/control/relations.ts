import { change, type House, type Touch } from '../api-kit/house.ts'
import { invalidParameter } from '../api-kit/problems.ts'
import { closed, type Static, words } from '../api-kit/schema.ts'
import { blockUser, unblockUser } from '../social/blocks/block.ts'
import { approveFollow, follow, refuseFollow, unfollow } from '../social/follows/follow.ts'
import { mute, unmute } from '../social/mutes/mute.ts'
import type { UserPair } from '../social/user-pair.ts'
import type { Tx } from '../storage/database.ts'
import { defineCommand, findUser, Who } from './command.ts'

type Act = (tx: Tx, touch: Touch, house: House, pair: UserPair) => Promise<unknown>

// The operator speaks for both sides, so that a protected account is not asked first.
const ADD: Record<string, Act> = {
  follow: (tx, touch, house, pair) => follow(tx, touch, house, pair, { approved: true }),
  block: blockUser,
  mute,
}
const REMOVE: Record<string, Act> = { follow: unfollow, block: unblockUser, mute: unmute }

const RelationArgs = closed({ kind: words(['follow', 'block', 'mute']), source: Who, target: Who })

async function findPair(house: House, args: { source: string; target: string }) {
  const [source, target] = await Promise.all([
    findUser(house, args.source, 'source'),
    findUser(house, args.target, 'target'),
  ])
  return { source, target, pair: { sourceId: source.id, targetId: target.id } }
}

async function relate(house: House, args: Static<typeof RelationArgs>, acts: Record<string, Act>, exists: boolean) {
  const { source, target, pair } = await findPair(house, args)
  if (source.id === target.id) throw invalidParameter('target', args.target, `A user can not ${args.kind} themselves.`)
  await change(house, (tx, touch) => acts[args.kind]!(tx, touch, house, pair))
  return { source: source.username, target: target.username, kind: args.kind, exists }
}

export const relationAdd = defineCommand('relation.add', RelationArgs, (house, args) => relate(house, args, ADD, true))
export const relationRemove = defineCommand('relation.remove', RelationArgs, (house, args) =>
  relate(house, args, REMOVE, false),
)

const RequestArgs = closed({ source: Who, target: Who })

/** Answers the request of `source` to follow the protected account `target`. */
async function answerRequest(
  house: House,
  args: Static<typeof RequestArgs>,
  answer: (tx: Tx, touch: Touch, pair: UserPair) => Promise<boolean>,
  following: boolean,
) {
  const { source, target, pair } = await findPair(house, args)
  if (!(await change(house, (tx, touch) => answer(tx, touch, pair))))
    throw invalidParameter('source', args.source, `@${source.username} has not asked to follow @${target.username}.`)
  return { source: source.username, target: target.username, following }
}

export const followApproveCommand = defineCommand('follow.approve', RequestArgs, (house, args) =>
  answerRequest(house, args, (tx, touch, pair) => approveFollow(tx, touch, house, pair), true),
)
export const followRefuseCommand = defineCommand('follow.refuse', RequestArgs, (house, args) =>
  answerRequest(house, args, refuseFollow, false),
)

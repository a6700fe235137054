import { change, type House, type Touch } from '../api-kit/house.ts'
import { invalidParameter } from '../api-kit/problems.ts'
import { closed, type Static, words } from '../api-kit/schema.ts'
import { approveFollow, refuseFollow } from '../social/follows/follow.ts'
import type { UserPair } from '../social/user-pair.ts'
import type { Tx } from '../storage/database.ts'
import { defineCommand, findUser, Who } from './command.ts'
import { RELATIONS } from './relation-kinds.ts'

const RelationArgs = closed({ kind: words(['follow', 'block', 'mute']), source: Who, target: Who })

async function findPair(house: House, args: { source: string; target: string }) {
  const [source, target] = await Promise.all([
    findUser(house, args.source, 'source'),
    findUser(house, args.target, 'target'),
  ])
  return { source, target, pair: { sourceId: source.id, targetId: target.id } }
}

async function relate(house: House, args: Static<typeof RelationArgs>, exists: boolean) {
  const { source, target, pair } = await findPair(house, args)
  if (source.id === target.id) throw invalidParameter('target', args.target, `A user can not ${args.kind} themselves.`)
  const { make, end } = RELATIONS[args.kind]
  const act = exists ? make : end
  await change(house, (tx, touch) => act(tx, touch, house, pair))
  return { source: source.username, target: target.username, kind: args.kind, exists }
}

export const relationAdd = defineCommand('relation.add', RelationArgs, (house, args) => relate(house, args, true))
export const relationRemove = defineCommand('relation.remove', RelationArgs, (house, args) =>
  relate(house, args, false),
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

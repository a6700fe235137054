import { closed, type Static, words } from '../api-kit/declaring/schema.ts'
import { change, type Invalidate, type Runtime } from '../api-kit/runtime.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { approveFollow, refuseFollow } from '../social/follows/follow.ts'
import type { UserPair } from '../social/user-pair.ts'
import type { Tx } from '../storage/database.ts'
import { defineCommand, findUser, NameOrId } from './command.ts'
import { RELATIONS } from './relation-kinds.ts'

const RelationArgs = closed({ kind: words(['follow', 'block', 'mute']), source: NameOrId, target: NameOrId })

async function findPair(runtime: Runtime, args: { source: string; target: string }) {
  const [source, target] = await Promise.all([
    findUser(runtime, args.source, 'source'),
    findUser(runtime, args.target, 'target'),
  ])
  return { source, target, pair: { sourceId: source.id, targetId: target.id } }
}

async function relate(runtime: Runtime, args: Static<typeof RelationArgs>, exists: boolean) {
  const { source, target, pair } = await findPair(runtime, args)
  if (source.id === target.id) throw invalidParameter('target', args.target, `A user cannot ${args.kind} themselves.`)
  const { make, end } = RELATIONS[args.kind]
  const act = exists ? make : end
  await change(runtime, (tx, invalidate) => act(tx, invalidate, runtime, pair))
  return { source: source.username, target: target.username, kind: args.kind, exists }
}

export const relationAdd = defineCommand('relation.add', RelationArgs, (runtime, args) => relate(runtime, args, true))
export const relationRemove = defineCommand('relation.remove', RelationArgs, (runtime, args) =>
  relate(runtime, args, false),
)

const RequestArgs = closed({ source: NameOrId, target: NameOrId })

/** Approves or refuses the request of `source` to follow the protected account `target`. */
async function answerRequest(
  runtime: Runtime,
  args: Static<typeof RequestArgs>,
  answer: (tx: Tx, invalidate: Invalidate, pair: UserPair) => Promise<boolean>,
  following: boolean,
) {
  const { source, target, pair } = await findPair(runtime, args)
  if (!(await change(runtime, (tx, invalidate) => answer(tx, invalidate, pair))))
    throw invalidParameter(
      'source',
      args.source,
      `@${source.username} has not requested to follow @${target.username}.`,
    )
  return { source: source.username, target: target.username, following }
}

export const followApproveCommand = defineCommand('follow.approve', RequestArgs, (runtime, args) =>
  answerRequest(runtime, args, (tx, invalidate, pair) => approveFollow(tx, invalidate, runtime, pair), true),
)
export const followRefuseCommand = defineCommand('follow.refuse', RequestArgs, (runtime, args) =>
  answerRequest(runtime, args, refuseFollow, false),
)

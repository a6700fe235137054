import { closed, Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { readDuration } from '../../process/quantity.ts'
import { createSpace, updateSpace } from '../../social/spaces/create-space.ts'
import { cancelSpace, endSpace, startSpace } from '../../social/spaces/run-space.ts'
import { spaceRow } from '../../social/spaces/space.object.ts'
import { SpaceId, spaceUrl } from '../../social/spaces/space-ids.ts'
import {
  buyTicket,
  inviteSpeaker,
  joinSpace,
  leaveSpace,
  setReminder,
  setSpeaking,
  shareInSpace,
} from '../../social/spaces/take-part.ts'
import { TOPICS } from '../../social/spaces/topics.data.ts'
import { type Command, defineCommand, findUser, NameOrId } from '../command.ts'

// The interface has no operations that make or change spaces.

const optional = Type.Optional
const Title = Type.String({ maxLength: 70 })
const Moment = Type.String({ maxLength: 40 })
const Users = Type.Array(NameOrId, { maxItems: 100 })
const Topics = Type.Array(Type.String({ maxLength: 50 }), { maxItems: 3 })

/** The state of a space, as commands print it. */
async function shown(runtime: Runtime, id: string) {
  const row = await runtime.parts.one(spaceRow, id)
  if (!row) return { id, state: 'cancelled' }
  const { state, title, participant_count, subscriber_count } = row
  return { id, state, title, participant_count, subscriber_count, url: spaceUrl(runtime.baseUrl, id) }
}

/** A moment, or a duration from now on. */
function readMoment({ clock }: Runtime, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const fromNow = text.startsWith('+') ? readDuration(text.slice(1)) : undefined
  if (fromNow !== undefined) return new Date(clock.now() + fromNow)
  const moment = new Date(text)
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(moment.getTime())) return moment
  throw invalidParameter(
    'scheduled_start',
    text,
    'scheduled_start must be a time such as 2026-05-01T18:00:00Z, or a duration from now on such as +2d.',
  )
}

/** The ids of topics that are named by id or by name. */
function topicIds(given: readonly string[] | undefined): string[] | undefined {
  const byName = new Map(Object.entries(TOPICS).map(([id, [name]]) => [name.toLowerCase(), id]))
  return given?.map((name) => byName.get(name.toLowerCase()) ?? name)
}

const userIds = async (runtime: Runtime, names: readonly string[] | undefined, parameter: string) =>
  (await Promise.all((names ?? []).map((name) => findUser(runtime, name, parameter)))).map((user) => user.id)

const create = defineCommand(
  'spaces.create',
  closed({
    user: NameOrId,
    title: optional(Title),
    scheduled_start: optional(Moment),
    lang: optional(Type.String({ pattern: '^[a-z]{2,3}(-[A-Za-z]{2,4})?$' })),
    ticketed: optional(Type.Boolean()),
    hosts: optional(Users),
    invited: optional(Users),
    topics: optional(Topics),
  }),
  async (runtime, args) => {
    const creator = await findUser(runtime, args.user, 'user')
    const id = await createSpace(runtime, {
      creatorId: creator.id,
      title: args.title ?? '',
      scheduledStart: readMoment(runtime, args.scheduled_start),
      lang: args.lang,
      isTicketed: args.ticketed,
      hostIds: await userIds(runtime, args.hosts, 'hosts'),
      invitedUserIds: await userIds(runtime, args.invited, 'invited'),
      topicIds: topicIds(args.topics),
    })
    return shown(runtime, id)
  },
)

const update = defineCommand(
  'spaces.update',
  closed({ space: SpaceId, title: optional(Title), scheduled_start: optional(Moment), topics: optional(Topics) }),
  async (runtime, args) => {
    await updateSpace(runtime, args.space, {
      title: args.title,
      topicIds: topicIds(args.topics),
      scheduledStart: readMoment(runtime, args.scheduled_start),
    })
    return shown(runtime, args.space)
  },
)

/** A command that changes the state of a space. */
const running = (name: string, act: (runtime: Runtime, id: string) => Promise<void>): Command =>
  defineCommand(`spaces.${name}`, closed({ space: SpaceId }), async (runtime, args) => {
    await act(runtime, args.space)
    return shown(runtime, args.space)
  })

const TakingArgs = { space: SpaceId, user: NameOrId }

/** A command for what a user does in a space. */
const taking = (name: string, act: (runtime: Runtime, id: string, userId: string) => Promise<void>): Command =>
  defineCommand(`spaces.${name}`, closed(TakingArgs), async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    await act(runtime, args.space, user.id)
    return { ...(await shown(runtime, args.space)), user: user.username }
  })

const buy = defineCommand('spaces.buy', closed(TakingArgs), async (runtime, args) => {
  const user = await findUser(runtime, args.user, 'user')
  const ticket = await buyTicket(runtime, args.space, user.id)
  return { ...(await shown(runtime, args.space)), user: user.username, ticket_id: ticket }
})

const share = defineCommand(
  'spaces.share',
  closed({ ...TakingArgs, post: Type.String({ pattern: '^[0-9]{1,19}$' }) }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    await shareInSpace(runtime, args.space, user.id, args.post)
    return { ...(await shown(runtime, args.space)), user: user.username, post_id: args.post }
  },
)

/** The commands about spaces. */
export const spaceCommands: readonly Command[] = [
  create,
  update,
  running('start', startSpace),
  running('end', endSpace),
  running('cancel', cancelSpace),
  taking('join', joinSpace),
  taking('leave', leaveSpace),
  taking('invite', inviteSpeaker),
  taking('speak', (runtime, id, userId) => setSpeaking(runtime, id, userId, true)),
  taking('listen', (runtime, id, userId) => setSpeaking(runtime, id, userId, false)),
  taking('subscribe', (runtime, id, userId) => setReminder(runtime, id, userId, true)),
  taking('unsubscribe', (runtime, id, userId) => setReminder(runtime, id, userId, false)),
  buy,
  share,
]

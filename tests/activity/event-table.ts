import { makePost } from '../social/acting.ts'
import { addKey, type ChatUser, type Conversation, createGroup, joinAs, say } from '../social/chatting.ts'
import { sendMessage } from '../social/messaging.ts'
import type { TestServer } from '../support/server.ts'

/** Who acts in a row of the table, and on whom: names of the first world. */
export interface Actors {
  server: TestServer
  user: string
  target: string
  /** A word that only the texts of this run have. */
  word: string
}

/** What an action made, as the answer of a trigger names it. */
export type Facts = Record<string, string>

// biome-ignore lint/suspicious/noExplicitAny: bodies whose members the predicates look at.
type Body = any

/** How an event type happens, and how its deliveries are recognised. */
export interface Row {
  /** Who acts on whom, where it is not the usual pair; in the second run the trigger acts. */
  actors?: { act: readonly [string, string]; trigger: readonly [string, string] }
  /** Whose activity the subscription is about; the one who acts unless it says otherwise. */
  of?: 'target' | 'app'
  /** The real action: an operation, or the command for what the interface cannot do. */
  act(actors: Actors): Promise<Facts>
  /** Arguments of the trigger besides user and target. */
  args?(actors: Actors): Promise<object>
  /** Whether the payload of an activity is about this action. */
  is(payload: Body, facts: Facts, ids: { user: string; target: string }): boolean
  /** The same for a body of account activity, and the sides that get one. Types without it are not part of that product. */
  account?: {
    sides: readonly ('user' | 'target')[]
    is(body: Body, facts: Facts, ids: { user: string; target: string }): boolean
  }
}

/** What cannot happen on this server yet. */
export const NOT_YET: Readonly<Record<string, string>> = {
  'broadcast.start': 'there are no live broadcasts yet',
  'broadcast.end': 'there are no live broadcasts yet',
  'broadcast.chat': 'there are no live broadcasts yet',
}

const ok = async (sent: Promise<{ status: number; text: string; body: Body }>): Promise<Body> => {
  const answer = await sent
  if (answer.status >= 300) throw new Error(`refused: ${answer.status} ${answer.text}`)
  return answer.body
}

const both = ['user', 'target'] as const
/** A new post of the target. */
const ofTarget = ({ server, target, word }: Actors): Promise<string> => {
  const text = `${target} writes about the ${word} as number ${server.runtime.ids.next()}`
  return makePost(server, target, { text })
}
const named = async (actors: Actors) => ({ post_id: await ofTarget(actors) })

const isPost: Row['is'] = (payload, facts) => payload.id === facts.post_id
const isRepost: Row['is'] = (payload, facts) => payload.id === facts.repost_id
const accountPost = (sides: readonly ('user' | 'target')[], member = 'post_id'): Row['account'] => ({
  sides,
  is: (body, facts) => body.post_create_events?.[0].id_str === facts[member],
})

const isPair: Row['is'] = ({ source, target }, _facts, ids) => source.id === ids.user && target.id === ids.target

function pair(kind: 'follow' | 'mute' | 'block', makes: boolean): Row {
  const verb = makes ? kind : `un${kind}`
  const operate = async ({ server, user, target }: Actors) => {
    const [id, target_user_id] = [server.userId(user), server.userId(target)]
    const own = `/2/users/${id}/${kind === 'follow' ? 'following' : 'muting'}`
    // The interface has no operation that blocks somebody.
    if (kind === 'block')
      await server.command(`relation.${makes ? 'add' : 'remove'}`, { kind, source: id, target: target_user_id })
    else if (makes) await ok(server.post(own, { target_user_id }, { user }))
    else await ok(server.delete(`${own}/${target_user_id}`, { user }))
    return {}
  }
  return {
    // Somebody else is blocked: a block withholds what the two do otherwise.
    ...(kind === 'block' ? { actors: { act: ['alice', 'chika'], trigger: ['bob', 'chika'] } } : {}),
    act: operate,
    is: isPair,
    account: {
      sides: kind === 'follow' ? both : ['user'],
      is: (body, _facts, ids) => {
        const event = body[`${kind}_events`]?.[0]
        return event?.type === verb && event.source.id_str === ids.user && event.target.id_str === ids.target
      },
    },
  }
}

/** A change of a profile. The interface has no operation for it. */
const profile = (change: (actors: Actors) => Record<string, unknown>): Row => ({
  actors: { act: ['chika', 'alice'], trigger: ['dario', 'alice'] },
  act: async (actors) => {
    const next = change(actors)
    await actors.server.command('user.update', { user: actors.server.userId(actors.user), ...next })
    const [after] = Object.values(next)
    return { after: typeof after === 'string' ? after : JSON.stringify(after) }
  },
  is: (payload, facts) => payload.after === facts.after && payload.before !== payload.after,
})

const messages: Record<'sent' | 'read' | 'typing', NonNullable<Row['is']>> = {
  sent: (body, facts) => body.direct_message_events?.[0].id === facts.dm_event_id,
  read: (body, facts, ids) => {
    const [event] = body.direct_message_mark_read_events ?? []
    return event?.last_read_event_id === facts.dm_event_id && event.sender_id === ids.user
  },
  typing: (body, _facts, ids) => {
    const [event] = body.direct_message_indicate_typing_events ?? []
    return event?.sender_id === ids.user && event.target.recipient_id === ids.target
  },
}

const message = (side: 'user' | 'target'): Row => ({
  ...(side === 'target' ? { of: 'target' as const } : {}),
  act: async ({ server, user, target, word }) => ({
    ...(await sendMessage(server, user, target, `The ${word} is here for ${side}`)),
  }),
  is: messages.sent,
  account: { sides: both, is: messages.sent },
})

/** The two chat users of a server with their conversation. Their clients are made once. */
interface Chat {
  sender: ChatUser
  receiver: ChatUser
  conversation: Conversation
}
const chats = new WeakMap<TestServer, Promise<Chat>>()
const chatOf = ({ server, user, target }: Actors): Promise<Chat> => {
  const join = async () => {
    const [sender, receiver] = [await joinAs(server, user), await joinAs(server, target)]
    return { sender, receiver, conversation: await addKey(server, sender, [sender, receiver]) }
  }
  const known = chats.get(server) ?? join()
  chats.set(server, known)
  return known
}

/** The trigger plays a client for users who have none. */
const CHAT_ACTORS: Row['actors'] = { act: ['chika', 'dario'], trigger: ['alice', 'bob'] }

const chatMessage = (side: 'user' | 'target'): Row => ({
  actors: CHAT_ACTORS,
  ...(side === 'target' ? { of: 'target' as const } : {}),
  act: async (actors) => {
    const { sender, conversation } = await chatOf(actors)
    return { encoded_event: await say(actors.server, sender, conversation, `The ${actors.word}`) }
  },
  is: (payload, facts, ids) =>
    payload.sender_id === ids.user &&
    (facts.encoded_event === undefined
      ? payload.id === facts.message_id
      : payload.encoded_event === facts.encoded_event),
})

/** Every type, in an order in which the actions do not disturb each other. */
export const TABLE: Readonly<Record<string, Row>> = {
  'follow.follow': pair('follow', true),
  'follow.unfollow': pair('follow', false),
  'mute.mute': pair('mute', true),
  'mute.unmute': pair('mute', false),
  'block.block': pair('block', true),
  'block.unblock': pair('block', false),
  'post.create': {
    act: async ({ server, user, word }) => ({ post_id: await makePost(server, user, { text: `A ${word}` }) }),
    is: isPost,
    account: accountPost(['user']),
  },
  'post.mention.create': {
    of: 'target',
    act: async ({ server, user, target, word }) => ({
      post_id: await makePost(server, user, { text: `A ${word} for @${target}` }),
    }),
    is: isPost,
    account: accountPost(both),
  },
  'post.reply.create': {
    of: 'target',
    act: async (actors) => {
      const reply = { in_reply_to_post_id: await ofTarget(actors) }
      return { post_id: await makePost(actors.server, actors.user, { text: `Which ${actors.word}?`, reply }) }
    },
    args: named,
    is: isPost,
    account: accountPost(both),
  },
  'post.quote.create': {
    of: 'target',
    act: async (actors) => {
      const quote_post_id = await ofTarget(actors)
      return { post_id: await makePost(actors.server, actors.user, { text: `See the ${actors.word}`, quote_post_id }) }
    },
    args: named,
    is: isPost,
    account: accountPost(both),
  },
  'post.repost.create': {
    of: 'target',
    act: async (actors) => {
      const { server, user } = actors
      const body = { post_id: await ofTarget(actors) }
      const made = await ok(server.post(`/2/users/${server.userId(user)}/reposts`, body, { user }))
      return { repost_id: made.data.id }
    },
    args: named,
    is: isRepost,
    account: accountPost(both, 'repost_id'),
  },
  'post.delete': {
    act: async ({ server, user, word }) => {
      const post_id = await makePost(server, user, { text: `The ${word} that was not` })
      await ok(server.delete(`/2/posts/${post_id}`, { user }))
      return { post_id }
    },
    is: (payload, facts, ids) => payload.id === facts.post_id && payload.author_id === ids.user,
    account: { sides: ['user'], is: (body, facts) => body.post_delete_events?.[0].status.id === facts.post_id },
  },
  'like.create': {
    act: async (actors) => {
      const { server, user } = actors
      const post_id = await ofTarget(actors)
      await ok(server.post(`/2/users/${server.userId(user)}/likes`, { post_id }, { user }))
      return { post_id }
    },
    args: named,
    is: (payload, facts) => payload.liked_post_id === facts.post_id,
    account: { sides: both, is: (body, facts) => body.favorite_events?.[0].favorited_status.id_str === facts.post_id },
  },
  'dm.sent': message('user'),
  'dm.received': message('target'),
  'dm.read': {
    of: 'target',
    act: async ({ server, user, target, word }) => {
      const sent = await sendMessage(server, target, user, `Read of the ${word}`)
      await server.command('messages.read', { user, with: target })
      return { ...sent }
    },
    is: messages.read,
    account: { sides: ['target'], is: messages.read },
  },
  'dm.indicate_typing': {
    of: 'target',
    act: async ({ server, user, target }) => {
      await server.command('messages.typing', { user, with: target })
      return {}
    },
    is: messages.typing,
    account: { sides: ['target'], is: messages.typing },
  },
  'chat.sent': chatMessage('user'),
  'chat.received': chatMessage('target'),
  'chat.conversation_join': {
    actors: CHAT_ACTORS,
    of: 'target',
    act: async (actors) => {
      const { sender, receiver } = await chatOf(actors)
      return { conversation_id: (await createGroup(actors.server, sender, [sender, receiver])).id }
    },
    is: (payload, facts) => payload.conversation_id === facts.conversation_id,
  },
  'spaces.start': {
    act: async ({ server, user, word }) => ({
      space_id: (await server.command('spaces.create', { user, title: `Start of the ${word}` })).id,
    }),
    is: (payload, facts) => payload.broadcast_id === facts.space_id && payload.event_type === 'spaces_start',
  },
  'spaces.end': {
    act: async ({ server, user }) => {
      const live = await ok(server.get(`/2/spaces/by/creator_ids?user_ids=${server.userId(user)}`))
      const space_id = live.data.find((space: { state: string }) => space.state === 'live').id
      await server.command('spaces.end', { space: space_id })
      return { space_id }
    },
    is: (payload, facts) => payload.broadcast_id === facts.space_id && payload.event_type === 'spaces_end',
  },
  'profile.update.bio': profile(({ word }) => ({ description: `I like a ${word}` })),
  'profile.update.profile_picture': profile(({ word }) => ({ profile_image_url: `https://example.com/${word}.png` })),
  'profile.update.banner_picture': profile(({ word }) => ({ profile_banner_url: `https://example.com/${word}.jpg` })),
  'profile.update.geo': profile(({ word }) => ({ location: `Where the ${word} is` })),
  'profile.update.url': {
    ...profile(() => ({})),
    act: async ({ server, user, word }) => {
      await server.command('user.update', { user, url: `https://example.com/${word}` })
      // The profile has a short link.
      return { after: (await ok(server.get(`/2/users/${server.userId(user)}?user.fields=url`))).data.url }
    },
  },
  'profile.update.screenname': profile(({ word }) => ({ username: `a_${word}` })),
  'profile.update.handle': profile(({ user }) => ({ username: user })),
  'profile.update.verified': profile(() => ({ verified_type: 'government' })),
  'profile.update.verified_badge': profile(() => ({ verified_type: 'business' })),
  'profile.update.affiliate': affiliated('the crew'),
  'profile.update.affiliate_badge': affiliated('the owners'),
  'news.new': {
    of: 'app',
    act: async ({ server, word }) => {
      for (const [index, author] of ['alice', 'bob', 'chika'].entries())
        await makePost(server, author, {
          text: `The old ${word} crossed the wide ocean again #${word}${'!'.repeat(index)}`,
        })
      await server.command('topics.work')
      const found = await ok(server.get(`/2/news/search?query=${word}`))
      return { news_id: found.data[0].id }
    },
    args: async ({ word }) => ({ text: `Many people watched how a large ${word} sank in the harbour` }),
    is: (payload, facts) => payload.id === facts.news_id,
  },
  'oauth.revoke': {
    actors: { act: ['leaver', 'alice'], trigger: ['deserter', 'alice'] },
    of: 'app',
    act: async ({ server, user }) => {
      const { apps } = await server.command('app.list')
      const ended = await server.command('user.revoke', { user, app: apps[0].id })
      return { app_id: ended.app_id }
    },
    is: (payload, facts, ids) => payload.user_id === ids.user && payload.app_id === facts.app_id,
    account: {
      sides: ['user'],
      is: ({ user_event }, facts, ids) =>
        user_event?.revoke.source.user_id === ids.user && user_event.revoke.target.app_id === facts.app_id,
    },
  },
}

function affiliated(description: string): Row {
  const row = profile(({ server }) => ({ affiliation: { user_id: [server.userId('alice')], description } }))
  return {
    ...row,
    // The text is JSON with its members in the order of the database.
    is: (payload, facts) =>
      payload.after !== payload.before &&
      JSON.stringify(sorted(payload.after)) === JSON.stringify(sorted(facts.after!)),
  }
}

const sorted = (text: string) => Object.entries(JSON.parse(text)).sort(([a], [b]) => a.localeCompare(b))

import { createHash } from 'node:crypto'
import type { ObjectType } from '../api-kit/declaring/object.ts'
import { type Naming, neutral } from '../api-kit/naming/naming.ts'
import { readContext } from '../api-kit/reading/read-context.ts'
import { readObjects } from '../api-kit/reading/read-objects.ts'
import { type Selection, selects } from '../api-kit/reading/selection.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import type { Fault } from '../api-kit/writing/problems.ts'
import { legacyNaming } from '../legacy-words.ts'
import { wireTime } from '../process/clock.ts'
import { timeOfId } from '../process/ids.ts'
import { likeHex } from '../social/likes/like-hex.ts'
import { post } from '../social/posts/post.object.ts'
import { type PostRow, postRow } from '../social/posts/post.parts.ts'
import { user } from '../social/users/user.object.ts'
import { userRow } from '../social/users/user.parts.ts'
import { isPublicAccount } from '../social/visibility.ts'
import { type Firing, firingKey, type Subject } from './firings.ts'
import type { FiredSubscription } from './subscription.statements.ts'

/** An activity and a subscription that it is for. */
export interface ActivityMatch {
  firing: Firing
  subscription: FiredSubscription
}

/** An activity as a client gets it. */
export interface ActivityHit {
  /** The event's place in the log. */
  place: string
  appId: string
  webhookId: string | null
  subscriptionId: string
  /** The name that was subscribed to. */
  eventType: string
  naming: 'neutral' | 'legacy'
  /** JSON text `{"data":{...}}`. */
  envelope: string
}

const POST_FIELDS = [
  'attachments',
  'author_id',
  'community_id',
  'conversation_id',
  'created_at',
  'display_text_range',
  'edit_controls',
  'edit_history_post_ids',
  'entities',
  'geo',
  'in_reply_to_user_id',
  'lang',
  'note_post',
  'paid_partnership',
  'possibly_sensitive',
  'public_metrics',
  'referenced_posts',
  'reply_settings',
]
const USER_FIELDS = [
  'affiliation',
  'created_at',
  'description',
  'entities',
  'location',
  'parody',
  'pinned_post_id',
  'profile_banner_url',
  'profile_image_url',
  'protected',
  'public_metrics',
  'url',
  'verified',
  'verified_type',
  'withheld',
]

/** The members that activities show of posts and users, in one naming. */
interface Shown {
  post: Selection
  user: Selection
}

const shown = new Map<Naming, Shown>()

// Made on first use: objects refer to each other, and are whole only when all of them are loaded.
function shownIn(naming: Naming): Shown {
  let known = shown.get(naming)
  if (!known) {
    known = { post: selectionOf(post, POST_FIELDS, naming), user: selectionOf(user, USER_FIELDS, naming) }
    shown.set(naming, known)
  }
  return known
}

function selectionOf(object: ObjectType, fields: string[], naming: Naming): Selection {
  const faults: Fault[] = []
  const query = new Map([[naming.rename(`${object.name}.fields`), [fields.map(naming.rename).join()]]])
  const selection = selects(object).selection.compile('selection', naming)(query, faults)
  if (faults.length > 0) throw new Error(`${object.name} has not all of ${fields.join()}`)
  return selection
}

/**
 * Writes activities for the subscriptions that they are for, each in the naming of its subscription or all in the one
 * given. What nobody may see (posts of protected accounts, suspended users, what is gone since) is left out.
 */
export async function renderActivity(
  runtime: Runtime,
  matches: readonly ActivityMatch[],
  naming?: Naming,
): Promise<ActivityHit[]> {
  const namingOf = ({ subscription }: ActivityMatch) =>
    naming ?? (subscription.naming === 'legacy' ? legacyNaming : neutral)
  const material = await readMaterial(
    runtime,
    matches.map((match) => match.firing.subject),
  )
  const told = new Map(
    await Promise.all(
      [...new Set(matches.map(namingOf))].map(async (spoken) => {
        const objects = await readShown(runtime, material, spoken)
        const firings = new Set(matches.filter((match) => namingOf(match) === spoken).map((match) => match.firing))
        const texts = [...firings].map((firing) => [firing, tell(firing, material, objects, spoken)] as const)
        return [spoken, new Map(texts)] as const
      }),
    ),
  )
  return matches.flatMap((match) => {
    const spoken = namingOf(match)
    const text = told.get(spoken)!.get(match.firing)
    return text === undefined ? [] : [hitOf(match, spoken, text)]
  })
}

function hitOf({ firing, subscription }: ActivityMatch, naming: Naming, text: string): ActivityHit {
  const { tag } = subscription
  const head = [
    `"event_uuid":"${eventUuid(firing, subscription.id)}"`,
    `"filter":${JSON.stringify(subscription.filter)}`,
    `"event_type":${JSON.stringify(subscription.event_type)}`,
    ...(tag === null ? [] : [`"tag":${JSON.stringify(tag)}`]),
  ]
  return {
    place: firing.event.sequence,
    appId: subscription.app_id,
    webhookId: subscription.webhook_id,
    subscriptionId: subscription.id,
    eventType: subscription.event_type,
    naming: naming.id,
    envelope: `{"data":{${head.join()},${text}}}`,
  }
}

/** A number of 63 bits, the same however often the activity is told to the subscription. */
function eventUuid(firing: Firing, subscriptionId: string): string {
  const hash = createHash('sha256')
    .update(`${firingKey(firing)} ${subscriptionId}`)
    .digest()
  return BigInt.asUintN(63, hash.readBigUInt64BE()).toString()
}

/** What is stored of everything that activities tell of or include. */
interface Material {
  /** Of the posts told of and of those that they refer to. */
  posts: ReadonlyMap<string, PostRow>
  postIds: ReadonlySet<string>
  userIds: ReadonlySet<string>
  /** Authors of removed posts whose posts nobody may see. */
  hiddenAuthors: ReadonlySet<string>
}

const referredIds = (row: PostRow): string[] =>
  [row.reposted_post_id, row.quoted_post_id, row.in_reply_to_post_id].filter((id) => id !== null)

async function readMaterial(runtime: Runtime, subjects: readonly Subject[]): Promise<Material> {
  const told = new Set(
    subjects.flatMap((item) => (item.kind === 'post' ? [item.id] : item.kind === 'like' ? [item.postId] : [])),
  )
  const rows = await runtime.parts.many(postRow, [...told])
  const referred = [...rows.values()].flatMap(referredIds)
  const posts = new Map([...rows, ...(await runtime.parts.many(postRow, [...new Set(referred)]))])
  const authors = await runtime.parts.many(userRow, [
    ...new Set(subjects.flatMap((item) => (item.kind === 'removed-post' ? [item.authorId] : []))),
  ])
  const hidden = [...authors.values()].filter((row) => !isPublicAccount(row)).map((row) => row.id)
  return {
    posts,
    postIds: new Set(posts.keys()),
    userIds: new Set(subjects.flatMap((item) => peopleOf(item, posts))),
    hiddenAuthors: new Set(hidden),
  }
}

/** Users that an activity shows, those who act first. */
function peopleOf(subject: Subject, posts: ReadonlyMap<string, PostRow>): string[] {
  switch (subject.kind) {
    case 'post': {
      const row = posts.get(subject.id)
      if (!row) return []
      const referred = referredIds(row).flatMap((id) => posts.get(id)?.author_id ?? [])
      return [
        ...new Set([row.author_id, ...(row.in_reply_to_user_id ? [row.in_reply_to_user_id] : []), ...referred]),
        ...row.mentioned_user_ids,
      ]
    }
    case 'removed-post':
      return [subject.authorId]
    case 'like':
      return [subject.likerId, subject.authorId]
    case 'pair':
      return [subject.sourceId, subject.targetId]
    case 'profile':
      return [subject.userId]
    case 'revoke':
      return []
  }
}

/** Objects as JSON by id; what the public may not see is not among them. */
interface Objects {
  posts: ReadonlyMap<string, string>
  users: ReadonlyMap<string, string>
}

async function readShown(runtime: Runtime, material: Material, naming: Naming): Promise<Objects> {
  // Nobody in particular reads: what only followers or the users themselves may see does not leave the runtime.
  const context = readContext(runtime, undefined, naming)
  const selections = shownIn(naming)
  const read = async (ids: ReadonlySet<string>, selection: Selection) => {
    const wanted = [...ids].map((id) => ({ id, value: id }))
    const found = await readObjects(context, wanted, selection, { parameter: 'id', silent: true })
    return new Map(found.ids.map((id, index) => [id, found.data[index]!]))
  }
  const [posts, users] = await Promise.all([
    read(material.postIds, selections.post),
    read(material.userIds, selections.user),
  ])
  return { posts, users }
}

/** The members `payload` and `includes` of an activity; undefined when it is not told. */
function tell(firing: Firing, material: Material, objects: Objects, naming: Naming): string | undefined {
  const { subject, event } = firing
  const people = peopleOf(subject, material.posts)
  switch (subject.kind) {
    case 'post': {
      const shownPost = objects.posts.get(subject.id)
      const row = material.posts.get(subject.id)
      if (shownPost === undefined || !row) return undefined
      const answered =
        row.in_reply_to_post_id === null
          ? ''
          : `,"${naming.rename('in_reply_to_post_id')}":"${row.in_reply_to_post_id}"`
      const payload = `${shownPost.slice(0, -1)}${answered}}`
      return withIncludes(payload, { posts: referredIds(row), users: people }, objects, naming)
    }
    case 'removed-post':
      if (material.hiddenAuthors.has(subject.authorId)) return undefined
      return withIncludes(
        write({ id: subject.id, author_id: subject.authorId }, naming),
        { posts: [], users: people },
        objects,
        naming,
      )
    case 'like': {
      if (!objects.posts.has(subject.postId) || !objects.users.has(subject.likerId)) return undefined
      const like = {
        id: likeHex(subject.id),
        created_at: wireTime(timeOfId(subject.postId)),
        timestamp_ms: event.happened_at.getTime(),
        liked_post_id: subject.postId,
        // The schema and the list of fields of the reference call it differently.
        post_author_id: subject.authorId,
        liked_post_author_id: subject.authorId,
      }
      return withIncludes(write(like, naming), { posts: [subject.postId], users: people }, objects, naming)
    }
    case 'pair': {
      const [source, target] = [objects.users.get(subject.sourceId), objects.users.get(subject.targetId)]
      return source && target && `"payload":{"source":${source},"target":${target}}`
    }
    case 'profile':
      if (!objects.users.has(subject.userId)) return undefined
      return `"payload":${write({ before: subject.before, after: subject.after }, naming)}`
    case 'revoke': {
      const dateTime = `${event.happened_at.toISOString().slice(0, 19)}+00:00`
      return `"payload":${write({ date_time: dateTime, user_id: subject.userId, app_id: subject.appId }, naming)}`
    }
  }
}

/** The id of a like in the form that clients know: 32 hexadecimal digits, the same as account activity tells. */

const write = (members: Record<string, string | number>, naming: Naming): string =>
  JSON.stringify(Object.fromEntries(Object.entries(members).map(([name, value]) => [naming.rename(name), value])))

function withIncludes(
  payload: string,
  ids: { posts: string[]; users: string[] },
  objects: Objects,
  naming: Naming,
): string {
  const groups = (['posts', 'users'] as const).flatMap((group) => {
    const found = [...new Set(ids[group])].flatMap((id) => objects[group].get(id) ?? [])
    return found.length === 0 ? [] : [`"${naming.rename(group)}":[${found.join()}]`]
  })
  return `"payload":${payload}${groups.length === 0 ? '' : `,"includes":{${groups.join()}}`}`
}

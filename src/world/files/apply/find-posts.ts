import { createHash } from 'node:crypto'
import { isStorableId, timeOfId } from '../../../process/ids.ts'
import { type PostRow, postRow } from '../../../social/posts/post.parts.ts'
import { statement } from '../../../storage/statement.ts'
import { isRelative } from '../moments.ts'
import type { WorldPost } from '../people.schema.ts'
import type { World } from '../world.schema.ts'
import { type Applying, KeyedIds, type KnownUser } from './applying.ts'

/** A post of a file, with what it refers to. */
export interface FoundPost {
  draft: WorldPost
  where: string
  id: string
  author: KnownUser
  /** What is stored of it already. */
  row: PostRow | undefined
}

const idsTaken = statement('world_post_ids_taken', { id: 'int8' }, 'select id from post where id = any($1::bigint[])')

/** The key of each post of a file; one without key and id is recognised by its author and what it says. */
export function postKeys(world: World): (string | undefined)[] {
  const times = new Map<string, number>()
  return (world.posts ?? []).map((post) => {
    if (post.key !== undefined) return post.key
    if (post.id !== undefined) return undefined
    const said = [post.author.replace(/^@/, '').toLowerCase(), post.text ?? '', post.reply_to ?? '', post.quotes ?? '']
    const digest = createHash('sha256').update(said.join('\0')).digest('base64url').slice(0, 22)
    const time = (times.get(digest) ?? 0) + 1
    times.set(digest, time)
    return ` ${digest} ${time}`
  })
}

/** What other posts, keys and ids a file refers to. */
export const postReferences = (world: World): string[] => [
  ...(world.posts ?? []).flatMap((post) => [post.reply_to, post.quotes].filter((ref) => ref !== undefined)),
  ...(world.users ?? []).flatMap((user) => user.pinned_post ?? []),
]

/** Finds the posts of a file and those that it refers to, and gives ids to new ones. Rows of both are returned by id. */
export async function findPosts(
  run: Applying,
  keys: readonly (string | undefined)[],
): Promise<{ posts: FoundPost[]; rows: ReadonlyMap<string, PostRow> }> {
  const drafts = run.world.posts ?? []
  const known = keys.map((key) => (key === undefined ? undefined : run.items.find('post', key)?.id))
  const references = postReferences(run.world)
  const others = references.flatMap((ref) => run.items.find('post', ref)?.id ?? (isStorableId(ref) ? ref : []))
  const wanted = [
    ...new Set([...drafts.flatMap((post) => post.id ?? []), ...known.flatMap((id) => id ?? []), ...others]),
  ]
  const rows = await postRow.load(run.tx, wanted)
  for (const ref of references) {
    const id = run.items.find('post', ref)?.id ?? ref
    if (rows.has(id)) run.posts.set(ref, id)
  }
  const posts = drafts.flatMap((draft, index): (Omit<FoundPost, 'id'> & { id: string | undefined; ms: number })[] => {
    const where = `posts[${index}]`
    const author = run.user(draft.author, `${where}.author`)
    const earlier = known[index]
    if (draft.id !== undefined && earlier !== undefined && draft.id !== earlier)
      run.fault(`${where}.id`, draft.id, `the post ${draft.key} exists with the id ${earlier}, and an id cannot change`)
    const id = draft.id ?? earlier
    const row = id === undefined ? undefined : rows.get(id)
    checkTime(run, draft, where, id)
    if (row && author && row.author_id !== author.id)
      run.fault(`${where}.author`, draft.author, `the post ${id} exists and has another author, which cannot change`)
    // Posts without a time follow each other in the order of the file.
    const ms = run.moment(draft.at, `${where}.at`, run.now - (drafts.length - index))
    return author ? [{ draft, where, author, row, id, ms }] : []
  })
  run.stopOnFaults()
  const found = await giveIds(run, posts, keys)
  rememberIds(run, found)
  run.postIds = found.map((post) => post.id)
  return { posts: found, rows }
}

function checkTime(run: Applying, draft: WorldPost, where: string, id: string | undefined): void {
  if (draft.at === undefined || id === undefined) return
  // A relative time was right when the post was made.
  if (draft.id === undefined && isRelative(draft.at)) return
  const ms = run.moment(draft.at, `${where}.at`, 0)
  const own = timeOfId(id)
  if (Math.floor(ms / 1000) === Math.floor(own / 1000)) return
  run.fault(
    `${where}.at`,
    draft.at,
    `the id ${id} is of ${new Date(own).toISOString()}, and a post has the time of its id: leave out \`at\`, or give a key instead of an id`,
  )
}

async function giveIds(
  run: Applying,
  posts: readonly (Omit<FoundPost, 'id'> & { id: string | undefined; ms: number })[],
  keys: readonly (string | undefined)[],
): Promise<FoundPost[]> {
  const taken = posts.flatMap((post) => post.id ?? [])
  for (;;) {
    const ids = new KeyedIds(taken)
    const given = posts.map((post) => {
      const index = Number(/\d+/.exec(post.where)![0])
      return post.id ?? ids.of(post.ms, 'post', keys[index]!)
    })
    const fresh = given.filter((_, index) => posts[index]!.id === undefined)
    const clashes = fresh.length === 0 ? [] : await idsTaken.all(run.tx, fresh)
    if (clashes.length === 0) return posts.map(({ ms: _ms, ...post }, index) => ({ ...post, id: given[index]! }))
    taken.push(...clashes.map((row) => row.id))
  }
}

function rememberIds(run: Applying, posts: readonly FoundPost[]): void {
  const seen = new Map<string, string>()
  for (const { id, draft, where } of posts) {
    for (const [member, name] of Object.entries({ id, key: draft.key })) {
      if (name === undefined) continue
      const other = seen.get(`${member} ${name}`)
      if (other !== undefined) run.fault(`${where}.${member}`, name, `${other} has it too`)
      seen.set(`${member} ${name}`, where)
      run.posts.set(name, id)
    }
  }
  run.stopOnFaults()
}

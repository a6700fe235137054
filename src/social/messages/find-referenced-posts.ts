import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { LEGACY_HOSTS } from '../../legacy-words.ts'
import { isStorableId } from '../../process/ids.ts'
import { postRow } from '../posts/post.parts.ts'
import { authorsOf, judgePosts } from '../visibility.ts'

const MOST_POSTS = 10
const POST_PATH = /^\/(?:i\/web|\w{1,15})\/status(?:es)?\/(\d{1,19})(?:\/|$)/

// Addresses without a known ending, such as those of a server on this machine, are not links in a text, but lead to posts too.
const ADDRESSES = /https?:\/\/[^\s<>"]{1,300}/g

/**
 * The posts that addresses in a text lead to, as far as the sender may see them: posts of this server, also where they are
 * addressed as on the platform. `links` are the addresses that the text rules find.
 */
export async function findReferencedPosts(
  context: ReadContext,
  text: string,
  links: readonly string[],
): Promise<string[]> {
  const urls = [...(text.match(ADDRESSES) ?? []), ...links]
  const ids = [...new Set(urls.flatMap((url) => postOf(url, context.baseUrl) ?? []))].slice(0, MOST_POSTS)
  if (ids.length === 0) return []
  const found = await context.parts.many(postRow, ids)
  const rows = ids.flatMap((id) => found.get(id) ?? [])
  const verdicts = await judgePosts(context, rows.map(authorsOf))
  return rows.filter((_row, index) => verdicts[index] === undefined).map((row) => row.id)
}

function postOf(url: string, baseUrl: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { host, pathname } = new URL(url)
  const base = new URL(baseUrl)
  const mount = base.pathname.replace(/\/$/, '')
  const isOwn = host === base.host && pathname.startsWith(`${mount}/`)
  if (!isOwn && !LEGACY_HOSTS.has(host.replace(/^(?:www|mobile)\./, ''))) return undefined
  const id = POST_PATH.exec(isOwn ? pathname.slice(mount.length) : pathname)?.[1]
  return id !== undefined && isStorableId(id) ? BigInt(id).toString() : undefined
}

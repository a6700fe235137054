import { defineEndpoint } from '../../api-kit/declaring/endpoint.ts'
import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import { requestHost } from '../../api-kit/naming/spoken-naming.ts'
import { readQuery } from '../../api-kit/reading/request-query.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { type Answer, redirect } from '../../api-kit/writing/answer.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { LEGACY_PLATFORM } from '../../legacy-words.ts'
import { isStorableId } from '../../process/ids.ts'
import { statement } from '../../storage/statement.ts'
import { addFacts } from '../insights/fact-buffer.ts'
import { postRow } from '../posts/post.parts.ts'
import { newestOf } from '../posts/post.statements.ts'

const linkByCode = statement(
  'short_link_by_code',
  { url: 'text', post_id: 'int8?' },
  `select l.url, ${newestOf('p')} as post_id from short_link l left join post p on p.id = l.post_id where l.code = $1`,
)

/** Redirects short links that are opened on this server, and counts the click for the post that has the link. */
export const shortLinkEndpoints = [
  defineEndpoint('openShortLink', 'GET /i/links/{code}', (request, runtime, { path }) =>
    openLink(request, runtime, path.code ?? '', { named: readQuery(request.rawQuery).get('post')?.[0] }),
  ),
]

/** How a link is opened: the post that the address names, and who else counts the click for it. */
interface Opening {
  named: string | undefined
  /** Returns true when it counted the click, which then does not count here. */
  onClick?(): Promise<boolean>
  /** The address that it leads to, where that has something added; asked for after the click was counted. */
  leadsTo?(url: string): string
}

/** Redirects to where a short link leads, and counts the click. */
export async function openLink(request: RequestFacts, runtime: Runtime, text: string, how: Opening): Promise<Answer> {
  const code = text.replaceAll('\0', '')
  const found = await linkByCode.first(runtime.database, code)
  if (!found) throw blank(404, 'There is no such short link.')
  const isCounted = await how.onClick?.()
  const postId = how.named === undefined ? found.post_id : await namedPost(runtime, how.named, code)
  if (postId && !isCounted)
    addFacts(runtime, [{ postId, kind: 'link_click', count: 1, atMs: runtime.clock.now(), promoted: false }])
  const url = how.leadsTo?.(found.url) ?? found.url
  return redirect(request.isPlatformHost ? atPlatform(url, request, runtime) : url)
}

/** The route of a short link at the host of short links, where the code is the whole path. */
export const shortLinkRoute = (url: string): string => url.replace(/^\/(?=\w{1,20}(?:\?|$))/, '/i/links/')

/** A page of the product, at the address that the platform has for it. */
function atPlatform(url: string, { headers }: RequestFacts, { baseUrl }: Runtime): string {
  return url.startsWith(`${baseUrl}/`)
    ? LEGACY_PLATFORM.siteBase(requestHost(headers)) + url.slice(baseUrl.length)
    : url
}

/** The post that the address names, if it has the link. */
async function namedPost(runtime: Runtime, id: string, code: string): Promise<string | undefined> {
  const row = isStorableId(id) ? await runtime.parts.one(postRow, id) : undefined
  const link = `/${code}`
  return row && (row.text.includes(link) || row.note_text?.includes(link)) ? row.id : undefined
}

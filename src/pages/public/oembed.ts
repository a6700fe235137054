import { defineEndpoint, withHead } from '../../api-kit/declaring/endpoint.ts'
import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import { readQuery } from '../../api-kit/reading/request-query.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { Answer } from '../../api-kit/writing/answer.ts'
import { Problem } from '../../api-kit/writing/problem.ts'
import { blank, invalidParameter } from '../../api-kit/writing/problems.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { readBrowser } from '../../identity/sign-in/browser.ts'
import { cutText } from '../../process/cut-text.ts'
import { unescapeMarkup } from '../../social/text/wire-text.ts'
import { PEOPLE_LIMIT } from '../define-page.ts'
import { createPageRequest, type PageRequest } from '../page-request.ts'
import { linkedText } from '../parts/linked-text.ts'
import { exactMoment } from '../parts/moment.ts'
import { postPath } from '../parts/post-card.ts'
import type { PostView } from '../parts/views.ts'
import { findPost } from './find-post.ts'

const CACHE_SECONDS = 3600
const WIDTH = { least: 220, initial: 550 }

/** A description of a post for websites that show it, as oEmbed 1.0 has it. It shows only what everybody may see. */
export const oembed = withHead(
  defineEndpoint(
    'oembed',
    'GET /oembed',
    async (request, runtime) => {
      const query = readQuery(request.rawQuery)
      const word = (name: string) => query.get(name)?.[0]
      if ((word('format') ?? 'json') !== 'json') throw blank(501, 'Only the format json is available.')
      const url = word('url')
      if (url === undefined)
        throw invalidParameter('url', '', 'The `url` query parameter must be the address of a post.')
      const page = anonymousPage(request, runtime, postIdOf(url, request, runtime))
      const post = await findPublicPost(page)
      return new Answer(JSON.stringify(describe(page, post, width(word('maxwidth')))), {
        headers: { 'access-control-allow-origin': '*', 'cache-control': `public, max-age=${CACHE_SECONDS}` },
      })
    },
    PEOPLE_LIMIT,
  ),
)

function width(given: string | undefined): number {
  if (given === undefined) return WIDTH.initial
  if (!/^[0-9]{1,5}$/.test(given) || Number(given) < 1)
    throw invalidParameter('maxwidth', given, 'The `maxwidth` query parameter must be a whole number from 1 to 99999.')
  return Math.max(WIDTH.least, Math.min(WIDTH.initial, Number(given)))
}

/** The id in the address of a post on this server. */
function postIdOf(url: string, request: RequestFacts, { baseUrl }: Runtime): string {
  const base = [request.baseUrl, baseUrl].find((own) => url.startsWith(`${own}/`))
  const id =
    base === undefined
      ? undefined
      : /^\/(?:\w{1,15}|i\/web)\/status\/(\d{1,19})(?:[/?#]|$)/.exec(url.slice(base.length))?.[1]
  if (id === undefined) throw blank(404, 'This is not the address of a post on this server.')
  return id
}

const anonymousPage = (request: RequestFacts, runtime: Runtime, id: string): PageRequest =>
  createPageRequest({
    request,
    runtime,
    browser: readBrowser(request, runtime),
    // What is shown does not depend on who asks.
    viewer: undefined,
    path: { id },
    query: new Map(),
  })

async function findPublicPost(page: PageRequest): Promise<PostView> {
  try {
    return await findPost(page)
  } catch (error) {
    // The standard has this status for what is not public.
    if (error instanceof Problem && error.status === 403) throw blank(401, 'This post is not public.')
    throw error
  }
}

function describe(page: PageRequest, post: PostView, pixels: number): Record<string, unknown> {
  const { baseUrl } = page.runtime
  const { author } = post
  const text = unescapeMarkup((post.note_post ?? post).text)
  return {
    type: 'rich',
    version: '1.0',
    title: cutText(text.replace(/\s+/g, ' '), 100),
    url: baseUrl + postPath(post),
    author_name: author?.name,
    author_url: `${baseUrl}/${author?.username}`,
    provider_name: 'Rostra',
    provider_url: baseUrl,
    cache_age: String(CACHE_SECONDS),
    html: embedOf(page, post).text,
    width: pixels,
    height: null,
  }
}

/** A quotation without script; a website may give it a look of its own by the class. */
function embedOf(page: PageRequest, post: PostView): Html {
  const { baseUrl } = page.runtime
  const { text, entities } = post.note_post ?? post
  // Links must be whole addresses: the quotation is on another website.
  const elsewhere: PageRequest = { ...page, runtime: { ...page.runtime, mount: baseUrl } }
  return html`<blockquote class="rostra-post" cite="${baseUrl}${postPath(post)}"><p lang="${post.lang ?? 'und'}" dir="auto">${linkedText(text, entities, elsewhere)}</p>&mdash; <bdi>${post.author?.name}</bdi> (@${post.author?.username}) <a href="${baseUrl}${postPath(post)}">${post.created_at ? exactMoment(post.created_at) : 'Post'}</a></blockquote>`
}

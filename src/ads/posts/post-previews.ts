import { defineEndpoint } from '../../api-kit/declaring/endpoint.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { Answer } from '../../api-kit/writing/answer.ts'
import { html } from '../../identity/pages/html.ts'
import { ADS_KEPT_NAMES } from '../../legacy-words.ts'
import { defineAdsOperation, required } from '../kit/operation.ts'
import { decimalKind, listKind } from '../kit/values.ts'
import { draftPosts } from './draft-post.entity.ts'
import { cardNames } from './find-card.ts'
import { type PostState, postStateKind } from './post-kinds.ts'
import { expiredPage, PREVIEW_STYLE_HASH, previewPage } from './preview.page.ts'
import { previewLink, readPreviewLink } from './preview-link.ts'
import { reachedPosts } from './reached-posts.ts'
import { type ReadPosts, readPublished, readUnsent, type UnsentPost } from './read-posts.ts'
import { scheduledPosts } from './scheduled-post.entity.ts'

/** The given ids that are posts of the account in this state. */
async function idsOfState(
  runtime: Runtime,
  state: PostState,
  accountId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (state === 'PUBLISHED') return reachedPosts(runtime.database, accountId, ids)
  return (await unsentOf(runtime, state, accountId, ids)).map((record) => record.id)
}

async function unsentOf(
  runtime: Runtime,
  state: Exclude<PostState, 'PUBLISHED'>,
  accountId: string,
  ids: readonly string[],
): Promise<UnsentPost[]> {
  const entity = state === 'DRAFT' ? draftPosts : scheduledPosts
  const found: UnsentPost[] = await entity.sql.byIds(runtime.database, accountId, ids)
  return found.filter((record) => record.scheduled_status !== 'SUCCESS')
}

// The template escapes the address, so it cannot end the attribute.
const frameOf = (url: string): string =>
  html`<iframe src="${url}" title="Preview of a post" width="550" height="600" sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy"></iframe>`
    .text

export const getPostPreviews = defineAdsOperation({
  id: 'getPostPreviews',
  route: 'GET /12/accounts/{account_id}/post_previews',
  tag: 'Post Previews',
  summary: 'Get previews of posts',
  params: {
    post_ids: required(listKind(decimalKind)),
    [ADS_KEPT_NAMES.postType]: required(postStateKind),
  },
  data: Type.Array(component('PostPreview', Type.Object({ post_id: decimalKind.schema, preview: Type.String() }))),
  may: 'see creatives',
  handle: async ({ params, account, runtime }) => {
    const state = params[ADS_KEPT_NAMES.postType]
    const asked = [...new Set(params.post_ids)]
    const found = new Set(await idsOfState(runtime, state, account.id, asked))
    const shown = asked.filter((id) => found.has(id))
    return {
      data: shown.map((id) => ({
        post_id: id,
        preview: frameOf(previewLink(runtime, { state, accountId: account.id, id }).url),
      })),
    }
  },
})

async function readPreviewed(
  runtime: Runtime,
  token: string,
): Promise<(ReadPosts & { card: string | undefined }) | undefined> {
  const previewed = readPreviewLink(runtime, token)
  if (!previewed) return undefined
  const { state, accountId, id } = previewed
  // A link to a post of the sandbox was given to an account that sees it.
  const read =
    state === 'PUBLISHED'
      ? await readPublished(runtime, [id], { accountId, viewerId: undefined, isSandbox: true })
      : await readUnsent(runtime, await unsentOf(runtime, state, accountId, [id]), state)
  const [post] = read.posts
  if (!post) return undefined
  const cards = await cardNames(runtime.database, accountId, post.cardUri === null ? [] : [post.cardUri])
  return { ...read, card: post.cardUri === null ? undefined : cards.get(post.cardUri) }
}

/** GET /post-previews/{token}: a post as it will look, for the frames that show previews. */
export const postPreviewPage = defineEndpoint(
  'postPreviewPage',
  'GET /post-previews/{token}',
  async (_request, runtime, { path }) => {
    const found = await readPreviewed(runtime, path.token ?? '')
    const ours = runtime.origin
    return new Answer(found ? previewPage(found.posts[0]!, found.card, runtime.baseUrl) : expiredPage(), {
      status: found ? 200 : 404,
      contentType: 'text/html; charset=utf-8',
      headers: {
        // Advertisers frame it on their own pages, whose hosts are unknown. The signed link is the protection.
        'content-security-policy': `default-src 'none'; style-src '${PREVIEW_STYLE_HASH}'; img-src ${ours}; media-src ${ours}; base-uri 'none'; form-action 'none'; frame-ancestors *`,
        'x-frame-options': 'ALLOWALL',
        'referrer-policy': 'no-referrer',
      },
    })
  },
)

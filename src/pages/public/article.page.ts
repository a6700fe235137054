import { blank } from '../../api-kit/writing/problems.ts'
import { html } from '../../identity/pages/html.ts'
import { isStorableId } from '../../process/ids.ts'
import type { ArticleDraft } from '../../social/articles/article.body.ts'
import { publishedArticle } from '../../social/articles/article.statements.ts'
import { getPostsById } from '../../social/posts/read-posts.ts'
import { definePeoplePage } from '../define-page.ts'
import { type PageRequest, shownObject } from '../page-request.ts'
import { describedHead } from '../parts/head.ts'
import { exactMoment } from '../parts/moment.ts'
import { ownAddress } from '../parts/own-address.ts'
import { postCard, postPath } from '../parts/post-card.ts'
import { readExtras } from '../parts/post-extras.ts'
import { avatar, nameLink } from '../parts/user-card.ts'
import { readMarks } from '../parts/viewer-marks.ts'
import {
  joinPosts,
  type MediaView,
  POST_FIELDS,
  type PostData,
  type PostsAnswer,
  type PostView,
} from '../parts/views.ts'
import { type ArticleParts, articleBlocks } from './article-blocks.ts'
import { postsByIds } from './posts-by-ids.ts'

const QUERY = { ...POST_FIELDS, expansions: `${POST_FIELDS.expansions},article.media_entities` }
const MOST_POSTS = 100

/** An article as it was written, for everybody who may see its post. */
export const articlePage = definePeoplePage('articlePage', 'GET /i/articles/{id}', async (page) => {
  const id = page.path.id ?? ''
  const found =
    /^\d{1,19}$/.test(id) && isStorableId(id) ? await publishedArticle.first(page.runtime.database, id) : undefined
  if (!found) throw blank(404, 'There is no such article.')
  const answer = await page.need<PostsAnswer<PostData>>(getPostsById, { path: { id: found.post_id! }, query: QUERY })
  const [post] = joinPosts([shownObject(answer, 'article')], answer.includes)
  page.shownPosts.add(post!.id)
  const content = found.content as ArticleDraft['content_state']
  const cover = ownAddress(page, post!.cover?.url ?? post!.cover?.preview_image_url)
  return {
    title: found.title,
    isListed: !post!.author?.protected,
    head: describedHead(page, {
      path: `/i/articles/${id}`,
      title: found.title,
      description: post!.article?.preview_text ?? '',
      kind: 'article',
      picture: post!.cover?.url,
    }),
    main: html`<article class="article">
${cover ? html`<img class="cover" src="${cover}" alt="${post!.cover?.alt_text ?? ''}">` : ''}
<h1 dir="auto">${found.title}</h1>
${byline(page, post!)}
${articleBlocks(page, content, await partsOf(page, content, answer.includes?.media ?? []))}
</article>`,
  }
})

const byline = (page: PageRequest, post: PostView) => {
  const { mount } = page.runtime
  return html`<div class="byline">${post.author ? html`${avatar(page, post.author)}${nameLink(post.author, mount)}` : ''}<span class="soft small">${post.created_at ? exactMoment(post.created_at) : ''} · <a href="${mount}${postPath(post)}">Replies</a></span></div>`
}

/** The media and posts that an article shows, as far as the viewer may see them. */
async function partsOf(
  page: PageRequest,
  { entities }: ArticleDraft['content_state'],
  media: readonly MediaView[],
): Promise<ArticleParts> {
  const ids = new Set(entities.flatMap(({ value }) => value.data.post_id ?? []))
  const answer = await postsByIds(page, [...ids].slice(0, MOST_POSTS))
  const posts = joinPosts(answer.data ?? [], answer.includes)
  const [marks] = await Promise.all([readMarks(page, posts), readExtras(page, posts)])
  return {
    media: new Map(media.map((item) => [item.media_key.replace(/^\d+_/, ''), item])),
    posts: new Map(posts.map((post) => [post.id, postCard(page, post, marks)])),
  }
}

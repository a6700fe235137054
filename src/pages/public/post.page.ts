import { redirect } from '../../api-kit/writing/answer.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { unescapeMarkup } from '../../social/text/wire-text.ts'
import { recordAct } from '../ads/record-acts.ts'
import { definePeoplePage } from '../define-page.ts'
import type { PageRequest } from '../page-request.ts'
import { describedHead } from '../parts/head.ts'
import { exactMoment, shortNumber } from '../parts/moment.ts'
import { postActions, postBody, postPath } from '../parts/post-card.ts'
import { readExtras } from '../parts/post-extras.ts'
import { postMenu } from '../parts/post-menu.ts'
import { sideColumn } from '../parts/side-column.ts'
import { avatar, nameLink } from '../parts/user-card.ts'
import { NO_MARKS, readMarks } from '../parts/viewer-marks.ts'
import type { PostView } from '../parts/views.ts'
import { findPost } from './find-post.ts'
import { postsAbove, repliesBelow } from './thread.ts'

/** A post with what it answers and what was answered. */
export const postPage = definePeoplePage('postPage', 'GET /{username}/status/{id}', async (page) => {
  const post = await findPost(page)
  const elsewhere = placeOf(post)
  // Any name leads to the post: names change, and programs write addresses without knowing them.
  if (elsewhere !== page.request.path) return redirect(`${page.runtime.mount}${elsewhere}`)
  await recordAct(page, 'details', { postId: post.id })
  const [marks] = await Promise.all([readMarks(page, [post]), readExtras(page, [post])])
  const above = await postsAbove(page, post)
  const text = unescapeMarkup((post.note_post ?? post).text)
  const title = `${post.author?.name ?? 'A post'}: ${[...text].slice(0, 60).join('')}`
  return {
    title,
    isListed: !post.author?.protected && !isReplaced(post),
    live: `post:${post.id}`,
    head: describedHead(page, {
      path: postPath(post),
      title: `${post.author?.name} (@${post.author?.username})`,
      description: text,
      kind: 'article',
      picture: pictureOf(post),
      hasEmbed: !post.author?.protected,
    }),
    aside: await sideColumn(page),
    main: html`<h1 class="top">Post</h1>
${above}
${wholePost(page, post, postActions(page, post, marks.get(post.id) ?? NO_MARKS))}
<h2 class="top">Replies</h2>
${await repliesBelow(page, post)}`,
  }
})

/** The address of a post. That of a repost is the address of what was reposted. */
function placeOf(post: PostView): string {
  const repost = post.references.find(({ kind }) => kind === 'reposted')
  return postPath(repost?.post ?? post)
}

const isReplaced = ({ id, edit_history_post_ids: versions }: PostView): boolean =>
  versions !== undefined && versions.at(-1) !== id

const pictureOf = (post: PostView): string | undefined => {
  if (post.possibly_sensitive) return undefined
  const [first] = post.media
  return first?.url ?? first?.preview_image_url ?? post.cover?.url
}

function wholePost(page: PageRequest, post: PostView, actions: Html): Html {
  const { mount } = page.runtime
  const { author } = post
  return html`<article class="post whole" id="post-${post.id}" data-post="${post.id}">
${isReplaced(post) ? html`<p class="above soft">There is a <a href="${mount}/${author?.username ?? 'i'}/status/${post.edit_history_post_ids!.at(-1)}">newer version of this post</a>.</p>` : ''}
<div class="line">${author ? html`<a class="pic" href="${mount}/${author.username}" tabindex="-1" aria-hidden="true">${avatar(page, author)}</a>${nameLink(author, mount)}` : ''}${postMenu(page, post)}</div>
${postBody(page, post)}
<p class="soft small facts"><span>${post.created_at ? exactMoment(post.created_at) : ''}</span>${post.source ? html`<span>${post.source}</span>` : ''}${history(post, mount)}</p>
${numbers(post, mount)}
${actions}
</article>`
}

function history(post: PostView, mount: string): Html | '' {
  const versions = post.edit_history_post_ids ?? []
  return versions.length > 1 ? html`<a href="${mount}${postPath(post)}/history">Edited</a>` : ''
}

function numbers(post: PostView, mount: string): Html {
  const metrics = post.public_metrics
  const link = (tail: string, count: number | undefined, word: string) =>
    html`<a href="${mount}${postPath(post)}/${tail}"><b>${shortNumber(count ?? 0)}</b> ${word}${count === 1 ? '' : 's'}</a>`
  return html`<p class="small facts numbers">${link('reposts', metrics?.repost_count, 'repost')}${link('quotes', metrics?.quote_count, 'quote')}${link('likes', metrics?.like_count, 'like')}</p>`
}

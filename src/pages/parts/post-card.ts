import { type Html, html } from '../../identity/pages/html.ts'
import { adQuery, type PageRequest } from '../page-request.ts'
import { actionForm } from './action-form.ts'
import { type IconName, icon } from './icons.ts'
import { linkedText } from './linked-text.ts'
import { mediaOf } from './media.ts'
import { moment, shortNumber } from './moment.ts'
import { pollOf } from './poll.ts'
import { postMenu } from './post-menu.ts'
import { articleCard, cardOf, facts, isOnlyArticle, noteOf } from './post-parts.ts'
import { avatar, nameLink } from './user-card.ts'
import { type Marks, NO_MARKS } from './viewer-marks.ts'
import type { PostView } from './views.ts'

/** The page of a post. */
export const postPath = (post: PostView): string => `/${post.author?.username ?? 'i'}/status/${post.id}`

/** A post in a list. A repost is the card of its original, with a line above that says who reposted it. */
export function postCard(page: PageRequest, post: PostView, marks: ReadonlyMap<string, Marks>): Html {
  const repost = post.references.find(({ kind }) => kind === 'reposted')
  if (repost?.post) {
    const line = html`<p class="above soft">${icon('repost')}<a href="${page.runtime.mount}/${post.author?.username ?? ''}"><bdi>${post.author?.name ?? 'Somebody'}</bdi></a> reposted</p>`
    return card(page, repost.post, marks, line)
  }
  return card(page, post, marks, replyLine(page, post))
}

/** Says that somebody paid for what is shown. */
export const promotedLine: Html = html`<p class="above soft">Promoted</p>`

function replyLine({ runtime }: PageRequest, post: PostView): Html | '' {
  const reply = post.references.find(({ kind }) => kind === 'replied_to')
  if (!reply) return ''
  const to = reply.post?.author
  return to
    ? html`<p class="above soft">${icon('reply')}In reply to <a href="${runtime.mount}/${to.username}/status/${reply.id}">@${to.username}</a></p>`
    : html`<p class="above soft">${icon('reply')}A reply</p>`
}

function card(page: PageRequest, post: PostView, marks: ReadonlyMap<string, Marks>, above: Html | ''): Html {
  const { mount } = page.runtime
  const query = adQuery(page)
  // A post that is promoted may be in the list too.
  const id = page.ad === undefined ? `post-${post.id}` : `ad-${page.ad}`
  return html`<article class="card post" id="${id}" data-post="${post.id}" aria-label="${`${page.ad === undefined ? 'Post' : 'Promoted post'} by ${post.author?.name ?? 'somebody'}`}">
${page.ad === undefined ? '' : promotedLine}${above}
<a class="pic" href="${mount}/${post.author?.username ?? ''}${query}" tabindex="-1" aria-hidden="true">${post.author ? avatar(page, post.author) : ''}</a>
<div class="body">
<div class="line">${post.author ? nameLink(post.author, mount, query) : ''}<a class="soft when" href="${mount}${postPath(post)}${query}">${moment(post.created_at, page.now)}</a>${postMenu(page, post)}</div>
${postBody(page, post)}
${postActions(page, post, marks.get(post.id) ?? NO_MARKS)}
</div>
</article>`
}

/** What a post says and shows. What may be disturbing is behind a click. */
export function postBody(page: PageRequest, post: PostView): Html {
  page.shownPosts.add(post.id)
  const { text, entities } = post.note_post ?? post
  const written = isOnlyArticle(post)
    ? ''
    : html`<p class="text" lang="${post.lang ?? 'und'}" dir="auto">${linkedText(text, entities, page, post.id)}</p>`
  const shown = html`${mediaOf(page, post)}${post.poll ? pollOf(page, post, post.poll) : ''}`
  const quoted = post.references.find(({ kind }) => kind === 'quoted')
  return html`${written}
${veiled(post, shown)}
${articleCard(page, post)}${cardOf(page, post)}${quoted ? quotedCard(page, quoted.post) : ''}
${noteOf(page, post)}${facts(page, post)}`
}

/** What may be disturbing is shown after a click. */
const veiled = (post: PostView, shown: Html): Html =>
  post.possibly_sensitive && post.media.length > 0
    ? html`<details class="veil"><summary>This may be disturbing. Show it</summary>${shown}</details>`
    : shown

function quotedCard(page: PageRequest, post: PostView | undefined): Html {
  if (!post) return html`<div class="quoted soft">This post cannot be shown.</div>`
  const { mount } = page.runtime
  return html`<div class="quoted"><div class="line">${post.author ? nameLink(post.author, mount) : ''}<a class="soft when" href="${mount}${postPath(post)}">${moment(post.created_at, page.now)}</a></div>
<p class="text" lang="${post.lang ?? 'und'}" dir="auto">${linkedText(post.note_post?.text ?? post.text, post.note_post?.entities ?? post.entities, page, post.id)}</p>${veiled(post, html`${mediaOf(page, post)}`)}</div>`
}

/** The buttons under a post, with their numbers. */
export function postActions(page: PageRequest, post: PostView, marks: Marks): Html {
  const { mount } = page.runtime
  const metrics = post.public_metrics
  const number = (count: number | undefined, kind: string) =>
    html`<span class="number" data-metric="${kind}">${count ? shortNumber(count) : ''}</span>`
  const toggle = (name: string, undo: string, isOn: boolean, picture: IconName, label: string, count?: number) =>
    actionForm(
      page,
      isOn ? undo : name,
      { post_id: post.id },
      {
        text: html`${icon(picture)}${count === undefined ? '' : number(count, name)}`,
        classes: `act ${name}`,
        label: count ? `${label}, ${count}` : label,
        pressed: isOn,
      },
    )
  return html`<div class="acts" role="group" aria-label="Actions">
<a class="act" href="${mount}${page.viewer ? `/i/compose?reply_to=${post.id}${adQuery(page, '&')}` : postPath(post)}" aria-label="${`Reply, ${metrics?.reply_count ?? 0}`}">${icon('reply')}${number(metrics?.reply_count, 'reply')}</a>
${
  page.viewer
    ? html`${toggle('repost', 'unrepost', marks.reposted, 'repost', 'Repost', metrics?.repost_count ?? 0)}
${toggle('like', 'unlike', marks.liked, 'like', 'Like', metrics?.like_count ?? 0)}
${toggle('bookmark', 'unbookmark', marks.bookmarked, 'bookmark', 'Bookmark')}`
    : html`<span class="act">${icon('repost')}${number(metrics?.repost_count, 'repost')}<span class="unseen">reposts</span></span>
<span class="act">${icon('like')}${number(metrics?.like_count, 'like')}<span class="unseen">likes</span></span>`
}
<span class="act" title="Views">${icon('view')}${number(metrics?.impression_count, 'view')}<span class="unseen">views</span></span>
</div>`
}

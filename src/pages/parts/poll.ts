import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'
import { exactMoment } from './moment.ts'
import type { PollView, PostView } from './views.ts'

/** A poll: buttons to vote for those who can, and else the results so far. */
export function pollOf(page: PageRequest, post: PostView, poll: PollView): Html {
  const vote = page.extras.get(post.id)?.vote
  const mayVote = page.viewer !== undefined && vote === undefined && poll.voting_status === 'open'
  const all = poll.options.reduce((sum, { votes }) => sum + votes, 0)
  return html`<div class="poll" data-poll>
${mayVote ? ballot(page, post, poll) : results(poll, all, vote)}
<p class="soft small">${all} ${all === 1 ? 'vote' : 'votes'} · ${poll.voting_status === 'closed' ? 'ended' : poll.end_datetime ? 'ends' : 'open'}${poll.end_datetime ? html` ${exactMoment(poll.end_datetime)}` : ''}</p>
</div>`
}

function ballot({ runtime, browser, request }: PageRequest, post: PostView, poll: PollView): Html {
  const here = request.rawQuery === '' ? request.path : `${request.path}?${request.rawQuery}`
  return html`<form method="post" action="${runtime.mount}/i/actions/vote" data-action="vote">
<input type="hidden" name="csrf" value="${browser.csrf}"><input type="hidden" name="return_to" value="${here}"><input type="hidden" name="post_id" value="${post.id}">
<ul role="list" aria-label="Vote for one">${poll.options.map(
    ({ position, label }) =>
      html`<li><button class="button" type="submit" name="option" value="${position}"><bdi>${label}</bdi></button></li>`,
  )}</ul>
</form>`
}

const results = (poll: PollView, all: number, vote: number | undefined): Html =>
  html`<ul role="list">${poll.options.map(
    ({ position, label, votes }) =>
      html`<li><span><span><bdi>${label}</bdi>${vote === position ? html` <b class="soft small">your vote</b>` : ''}</span><span>${all === 0 ? 0 : Math.round((100 * votes) / all)} %</span></span><meter min="0" max="${all || 1}" value="${votes}" aria-label="${label}">${votes}</meter></li>`,
  )}</ul>`

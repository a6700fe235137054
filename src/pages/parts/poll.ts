import { type Html, html } from '../../identity/pages/html.ts'
import { exactMoment } from './moment.ts'
import type { PollView } from './views.ts'

/** A poll with its results so far. */
export function pollOf(poll: PollView): Html {
  const all = poll.options.reduce((sum, { votes }) => sum + votes, 0)
  return html`<div class="poll">
<ul>${poll.options.map(
    ({ label, votes }) =>
      html`<li><span><bdi>${label}</bdi><span>${all === 0 ? 0 : Math.round((100 * votes) / all)} %</span></span><meter min="0" max="${all || 1}" value="${votes}">${votes}</meter></li>`,
  )}</ul>
<p class="soft small">${all} ${all === 1 ? 'vote' : 'votes'} · ${poll.voting_status === 'closed' ? 'ended' : poll.end_datetime ? 'ends' : 'open'}${poll.end_datetime ? html` ${exactMoment(poll.end_datetime)}` : ''}</p>
</div>`
}

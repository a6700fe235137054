import { type Html, html } from '../../identity/pages/html.ts'
import { getTrendsByWoeid } from '../../social/trends/read-trends.ts'
import { trendPlaces, WORLD } from '../../social/trends/trend-places.ts'
import { definePeoplePage } from '../define-page.ts'
import type { PageRequest } from '../page-request.ts'
import { describedHead } from '../parts/head.ts'
import { shortNumber } from '../parts/moment.ts'

export interface Trend {
  trend_name: string
  post_count?: number
}

/** The trends of a place. */
export async function readTrends(page: PageRequest, woeid: number, most: number): Promise<Trend[]> {
  const answer = await page.callPublicly<{ data?: Trend[] }>(getTrendsByWoeid, {
    path: { woeid: String(woeid) },
    query: { max_trends: String(most) },
  })
  return answer.body.data ?? []
}

/** Trends as a list; each leads to the search for it. */
export const trendList = ({ runtime }: PageRequest, trends: readonly Trend[], nothing: string): Html =>
  trends.length === 0
    ? html`<p class="empty soft">${nothing}</p>`
    : html`<ol class="trends">${trends.map(
        ({ trend_name: name, post_count: count }) =>
          html`<li><a href="${runtime.mount}/search?q=${encodeURIComponent(queryOf(name))}"><b><bdi>${name}</bdi></b>${count ? html`<span class="soft small">${shortNumber(count)} ${count === 1 ? 'post' : 'posts'}</span>` : ''}</a></li>`,
      )}</ol>`

const queryOf = (name: string): string => (/^[#$]?\w+$/u.test(name) ? name : `"${name.replaceAll('"', '')}"`)

/** What many people post about, in the world or in a place. */
export const trendsPage = definePeoplePage('trendsPage', 'GET /i/trends', async (page) => {
  const { mount } = page.runtime
  const places = trendPlaces()
  const chosen = places.find(({ woeid }) => String(woeid) === page.query.get('place')) ?? places[0]!
  const trends = await readTrends(page, chosen.woeid, 50)
  return {
    title: `Trends: ${chosen.name}`,
    isListed: chosen.woeid === WORLD,
    head: describedHead(page, { path: '/i/trends', title: 'Trends', description: 'What many people post about now.' }),
    main: html`<h1 class="top">Trends</h1>
<form class="line-form" method="get" action="${mount}/i/trends">
<label for="place">Place</label>
<select id="place" name="place">${places.map(({ woeid, name }) => html`<option value="${woeid}"${woeid === chosen.woeid ? html` selected` : ''}>${name}</option>`)}</select>
<button class="button" type="submit">Show</button>
</form>
${trendList(page, trends, 'Nothing stands out here at the moment.')}`,
  }
})

import { clickId, type Impression, withClickId } from '../../ads/measurement/click-id.ts'
import { findShownAd } from '../../ads/shown-ads/shown-ad.ts'
import { defineEndpoint } from '../../api-kit/declaring/endpoint.ts'
import { openLink } from '../../social/links/open-short-link.ts'
import { openPage, PEOPLE_LIMIT } from '../define-page.ts'
import { recordAct } from './record-acts.ts'

/** Opens a link of an ad. The click counts for the ad if the viewer saw it; the link leads where it leads everywhere. */
export const openAdLink = defineEndpoint(
  'openAdLink',
  'GET /i/ads/{ad}/links/{code}',
  async (request, runtime, { path }) => {
    const { ad = '', code = '' } = path
    const page = { ...(await openPage(request, runtime, path)), ad }
    const postId = page.query.get('post')
    const act = page.query.has('card') ? 'card' : 'link'
    let clicked: Impression | undefined
    return openLink(request, runtime, code, {
      named: postId,
      onClick: async () => {
        const isCounted = await recordAct(page, act, { postId })
        const shown = isCounted && page.viewer ? await findShownAd(runtime.database, page.viewer.id, ad) : undefined
        if (shown) clicked = { viewer: shown.viewer, impressionId: ad }
        return isCounted
      },
      // The website that it leads to can report what the viewer does there.
      leadsTo: (url) =>
        clicked && !url.startsWith(runtime.baseUrl) ? withClickId(url, clickId(runtime, clicked)) : url,
    })
  },
  PEOPLE_LIMIT,
)

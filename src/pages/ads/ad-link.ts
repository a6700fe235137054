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
    return openLink(request, runtime, code, { named: postId, onClick: () => recordAct(page, act, { postId }) })
  },
  PEOPLE_LIMIT,
)

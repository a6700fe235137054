import { redirect } from '../../api-kit/writing/answer.ts'
import { getUsersById } from '../../social/users/read-users.ts'
import { definePeoplePage } from '../define-page.ts'
import { shownObject } from '../page-request.ts'
import { postPath } from '../parts/post-card.ts'
import type { UserView } from '../parts/views.ts'
import { findPost } from './find-post.ts'

const postRedirect = (id: string, route: `GET /${string}`) =>
  definePeoplePage(id, route, async (page) => redirect(`${page.runtime.mount}${postPath(await findPost(page))}`))

/** Addresses that lead to the page of a user or post. */
export const redirects = [
  definePeoplePage('userRedirect', 'GET /i/user/{id}', async (page) => {
    const answer = await page.need<{ data?: UserView }>(getUsersById, { path: { id: page.path.id ?? '' } })
    return redirect(`${page.runtime.mount}/${shownObject(answer, 'user').username}`)
  }),
  postRedirect('postRedirect', 'GET /i/status/{id}'),
  postRedirect('webPostRedirect', 'GET /i/web/status/{id}'),
  // The addresses that the media of a post have in its text.
  postRedirect('photoRedirect', 'GET /{username}/status/{id}/photo/{number}'),
  postRedirect('videoRedirect', 'GET /{username}/status/{id}/video/{number}'),
]

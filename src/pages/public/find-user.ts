import { getUsersByUsername } from '../../social/users/read-users.ts'
import { type PageRequest, shownObject } from '../page-request.ts'
import { USER_FIELDS, type UserView } from '../parts/views.ts'

interface UserAnswer {
  data?: UserView
  errors?: { type?: string; title?: string }[]
}

/** The user whose page it is. */
export async function findUser(page: PageRequest): Promise<UserView> {
  const answer = await page.need<UserAnswer>(getUsersByUsername, {
    path: { username: page.path.username ?? '' },
    query: USER_FIELDS,
  })
  return shownObject(answer, 'user')
}

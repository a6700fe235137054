import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'
import { nextPage } from './post-list.ts'
import { userCard } from './user-card.ts'
import type { UserView } from './views.ts'

/** An answer of version 2 with users. */
export interface UsersAnswer {
  data?: UserView[]
  errors?: { type?: string; detail?: string }[]
  meta?: { next_token?: string }
}

/** The users of an answer as cards, and a link to the next page. */
export const userList = (page: PageRequest, answer: UsersAnswer, nothing: string): Html =>
  answer.data?.length
    ? html`<div class="list">
${answer.data.map((user) => userCard(page, user))}
</div>
${nextPage(page, answer.meta?.next_token)}`
    : html`<p class="empty soft">${nothing}</p>`

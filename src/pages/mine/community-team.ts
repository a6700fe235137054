import { type Html, html } from '../../identity/pages/html.ts'
import { requestsOf } from '../../social/communities/community.statements.ts'
import { readUsers } from '../notifications/notice-subjects.ts'
import type { SignedInRequest } from '../page-request.ts'
import { actionForm } from '../parts/action-form.ts'
import { pageForm, textField } from '../parts/form.ts'
import { userCard } from '../parts/user-card.ts'
import type { CommunityView } from './community-view.ts'

/** Who can join, in words. Nobody can subscribe to users here, so that policy is not offered. */
export const POLICY_WORDS: Readonly<Record<string, string>> = {
  Open: 'Everybody can join',
  RestrictedJoinRequestsRequireModeratorApproval: 'A moderator lets people in',
  RestrictedJoinRequestsRequireAdminApproval: 'An admin lets people in',
  RestrictedJoinRequestsDisabled: 'Only by invitation',
  SuperFollowRequired: 'Only by invitation',
}

const OFFERED = Object.keys(POLICY_WORDS).filter((policy) => policy !== 'SuperFollowRequired')

/** The choice of who can join. */
export const policyField = (): Html =>
  html`<div><label for="join_policy">Who can join</label><select id="join_policy" name="join_policy">${OFFERED.map((policy) => html`<option value="${policy}">${POLICY_WORDS[policy]}</option>`)}</select></div>
`

/** The policy that a form names. */
export const readPolicy = (text: string | undefined): string | undefined =>
  text !== undefined && OFFERED.includes(text) ? text : undefined

const MOST_REQUESTS = 50

/** What the policy lets members and moderators do about others: invite them, and answer their requests. */
export async function teamOf(page: SignedInRequest, item: CommunityView, role: string | undefined): Promise<Html | ''> {
  if (role === undefined || !['member', 'moderator', 'admin'].includes(role)) return ''
  const mayInvite = role !== 'member' || item.join_policy === 'Open'
  const mayAnswer = role === 'admin' || (role === 'moderator' && !item.join_policy?.includes('AdminApproval'))
  return html`${mayAnswer ? await requests(page, item) : ''}${mayInvite ? invite(page, item) : ''}`
}

async function requests(page: SignedInRequest, item: CommunityView): Promise<Html | ''> {
  const rows = await requestsOf.all(page.runtime.database, item.id, MOST_REQUESTS)
  if (rows.length === 0) return ''
  const users = await readUsers(
    page,
    rows.map((row) => row.user_id),
  )
  const answer = (id: string, name: string, word: string, text: string, classes: string) =>
    actionForm(
      page,
      'community-answer',
      { community_id: item.id, user_id: id, answer: word },
      { text, classes, label: `${text}: @${name}` },
    )
  return html`<h2 class="top">Requests to join</h2>
<div class="list">${users.map(
    (user) => html`<div class="request">${userCard(page, user)}
<div class="buttons">${answer(user.id, user.username, 'approve', 'Let in', 'button small first')}${answer(user.id, user.username, 'refuse', 'Refuse', 'button small')}</div></div>
`,
  )}</div>`
}

const invite = (
  page: SignedInRequest,
  item: CommunityView,
): Html => html`<details class="extra"><summary>Invite somebody</summary>
${pageForm(page, {
  action: '/i/actions/community-invite',
  hidden: { community_id: item.id, return_to: `/i/communities/${item.id}` },
  content: textField({ name: 'username', label: 'Username', most: 16, isRequired: true }),
  submit: 'Invite',
})}</details>`

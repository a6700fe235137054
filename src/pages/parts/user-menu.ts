import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'
import { actionForm } from './action-form.ts'
import { icon } from './icons.ts'
import type { UserView } from './views.ts'

/** The button that mutes or blocks a user, or ends that. */
export function relationItem(page: PageRequest, name: 'mute' | 'block', user: UserView): Html {
  const isOn = user.connection_status?.includes(name === 'mute' ? 'muting' : 'blocking') ?? false
  const word = name === 'mute' ? 'ute' : 'lock'
  const text = `${isOn ? `Un${name.charAt(0)}` : name.charAt(0).toUpperCase()}${word} @${user.username}`
  return html`<li>${actionForm(page, isOn ? `un${name}` : name, { user_id: user.id }, { text, classes: 'item' })}</li>`
}

/** What else a user can do with another one: write to them, or keep them away. */
export function userMenu(page: PageRequest, user: UserView): Html | '' {
  if (!page.viewer || page.viewer.id === user.id) return ''
  const { mount } = page.runtime
  const link = (path: string, text: string) => html`<li><a class="item" href="${mount}${path}">${text}</a></li>`
  return html`<details class="menu"><summary aria-label="More about @${user.username}">${icon('more')}</summary><ul role="list">
${user.receives_your_dm === false ? '' : link(`/messages/compose?to=${user.username}`, 'Send a message')}
${relationItem(page, 'mute', user)}${relationItem(page, 'block', user)}
${link(`/i/report?user=${user.id}`, 'Report')}
</ul></details>`
}

import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'
import { actionForm } from './action-form.ts'
import { icon } from './icons.ts'
import { relationItem } from './user-menu.ts'
import type { PostView } from './views.ts'

/** What else a user can do with a post: quote, edit and delete it, or keep its author away. */
export function postMenu(page: PageRequest, post: PostView): Html | '' {
  const { viewer, runtime, now } = page
  if (!viewer || !post.author) return ''
  const { mount } = runtime
  const item = (action: string, fields: Record<string, string>, text: string) =>
    html`<li>${actionForm(page, action, fields, { text, classes: 'item' })}</li>`
  const link = (path: string, text: string) => html`<li><a class="item" href="${mount}${path}">${text}</a></li>`
  const isOwn = post.author.id === viewer.id
  const { edit_controls: edits } = post
  const isEditable =
    isOwn && edits?.is_edit_eligible && (edits.edits_remaining ?? 0) > 0 && Date.parse(edits.editable_until ?? '') > now
  return html`<details class="menu"><summary aria-label="More about this post">${icon('more')}</summary><ul role="list">
${link(`/i/compose?quote=${post.id}`, 'Quote')}
${link(`/i/notes/${post.id}`, 'Notes')}
${
  isOwn
    ? html`${isEditable ? link(`/i/compose?edit=${post.id}`, 'Edit') : ''}${item('delete', { post_id: post.id }, 'Delete')}`
    : html`${relationItem(page, 'mute', post.author)}${relationItem(page, 'block', post.author)}${link(`/i/report?post=${post.id}`, 'Report')}`
}
</ul></details>`
}

import type { AppSecrets } from '../../identity/developers/create-app.ts'
import type { AppWords } from '../../identity/developers/own-apps.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { field } from '../accounts/fields.ts'
import { type FormState, typed } from '../accounts/form-page.ts'

export const LEVEL_WORDS: Record<string, string> = {
  read: 'Read',
  'read-write': 'Read and write',
  'read-write-messages': 'Read, write and direct messages',
}

/** The fields of an app, for a new one and for changes. */
export function appFields(state: FormState, form: string, app: AppWords): Html {
  return html`${field(state, form, { name: 'name', label: 'Name', value: app.name, hint: 'Users see it when they give access.', required: true, most: 50 })}${field(
    state,
    form,
    {
      name: 'description',
      label: 'Description',
      type: 'textarea',
      value: app.description,
      hint: 'At most 200 characters.',
    },
  )}${field(state, form, { name: 'website_url', label: 'Website', type: 'url', value: app.website_url, most: 500 })}${field(
    state,
    form,
    {
      name: 'callback_urls',
      label: 'Callbacks',
      type: 'textarea',
      value: app.callback_urls.join('\n'),
      hint: 'Where users come back to after they gave access: one address on each line, 10 at most.',
    },
  )}${field(state, form, {
    name: 'permission_level',
    label: 'Permission',
    type: 'select',
    value: app.permission_level,
    options: Object.entries(LEVEL_WORDS).map(([value, text]) => ({ value, text })),
    hint: 'What tokens of OAuth 1.0a can do. OAuth 2.0 asks for scopes.',
  })}${field(state, form, {
    name: 'client_type',
    label: 'Type',
    type: 'select',
    value: app.client_type,
    options: [
      { value: 'confidential', text: 'Confidential: runs on a server and keeps a secret' },
      { value: 'public', text: 'Public: runs in a browser or on a phone' },
    ],
  })}`
}

/** What was typed into these fields. */
export const typedApp = (form: ReadonlyMap<string, string>): AppWords => ({
  name: typed(form, 'name'),
  description: typed(form, 'description').replaceAll('\r\n', '\n'),
  website_url: typed(form, 'website_url'),
  callback_urls: typed(form, 'callback_urls')
    .split(/\s+/)
    .filter((url) => url !== ''),
  permission_level: typed(form, 'permission_level'),
  client_type: typed(form, 'client_type'),
})

const NAMES: [keyof AppSecrets, string][] = [
  ['api_key', 'API key'],
  ['api_key_secret', 'API key secret'],
  ['client_id', 'Client id'],
  ['client_secret', 'Client secret'],
  ['bearer_token', 'Bearer token'],
]

/** New keys, on a page that is shown once. */
export const secretList = (secrets: AppSecrets): Html => html`<dl class="secrets">
${NAMES.map(([name, text]) => html`<div><dt>${text}</dt><dd>${secrets[name]}</dd></div>\n`)}</dl>`

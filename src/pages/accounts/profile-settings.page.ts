import type { Readable } from 'node:stream'
import { defineStreamingEndpoint, type Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { bodyTooLarge } from '../../api-kit/reading/body.ts'
import { readFormParts } from '../../api-kit/reading/form-body.ts'
import { FieldFaults } from '../../identity/accounts/field-faults.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { type Browser, isOwnForm } from '../../identity/sign-in/browser.ts'
import { changeProfile } from '../../social/accounts/own-profile.ts'
import { type PictureField, setPicture } from '../../social/accounts/profile-pictures.ts'
import { unescapeMarkup } from '../../social/text/wire-text.ts'
import { getUsersMe } from '../../social/users/read-users.ts'
import { defineSignedInPage, openPage, PEOPLE_LIMIT } from '../define-page.ts'
import type { PageContent } from '../layout.ts'
import type { SignedInRequest } from '../page-request.ts'
import { ownAddress } from '../parts/own-address.ts'
import { avatar } from '../parts/user-card.ts'
import { type Entities, USER_FIELDS, type UserView } from '../parts/views.ts'
import { accountForm, field } from './fields.ts'
import { answerForm, defineForm, type FormState, type Sent, typed, UNSENT } from './form-page.ts'
import { settingsPage } from './settings-frame.ts'

const PROFILE = '/i/settings/profile'
const PICTURES = '/i/settings/pictures'

/** A text with the links that its author wrote, in place of the short ones. */
function asWritten(text: string | undefined, entities: Entities | undefined): string {
  let written = unescapeMarkup(text ?? '')
  for (const { url, expanded_url: target } of entities?.urls ?? []) written = written.replace(url, target ?? url)
  return written
}

async function show(page: SignedInRequest, state: FormState): Promise<PageContent> {
  const { data: user } = await page.need<{ data: UserView }>(getUsersMe, { query: USER_FIELDS })
  const fields = html`${field(state, PROFILE, { name: 'name', label: 'Name', value: user.name, autocomplete: 'name', required: true, most: 50 })}${field(
    state,
    PROFILE,
    {
      name: 'description',
      label: 'Description',
      type: 'textarea',
      value: asWritten(user.description, user.entities?.description),
      hint: 'At most 160 characters.',
    },
  )}${field(state, PROFILE, { name: 'location', label: 'Location', value: user.location ?? '', most: 150 })}${field(
    state,
    PROFILE,
    {
      name: 'url',
      label: 'Web address',
      type: 'url',
      value: asWritten(user.url, user.entities?.url),
      autocomplete: 'url',
      most: 200,
    },
  )}${field(state, PROFILE, {
    name: 'protected',
    label: 'Protect my posts',
    type: 'checkbox',
    isChecked: user.protected ?? false,
    hint: 'Only people whom you approve can follow you and see your posts.',
  })}`
  return settingsPage(page, {
    title: 'Settings',
    section: '/i/settings',
    main: html`<section aria-labelledby="profile"><h2 class="part" id="profile">Profile</h2>
${accountForm(page, state, PROFILE, fields, { text: 'Save profile' })}</section>
${pictures(page, state, user)}`,
  })
}

function pictures(page: SignedInRequest, state: FormState, user: UserView): Html {
  const banner = ownAddress(page, user.profile_banner_url)
  const faults = state.sentTo === PICTURES ? state.faults : {}
  const chosen = (name: PictureField, label: string, shown: Html, isSet: boolean): Html => html`<div class="field">
<label for="pictures-${name}">${label}</label>
${shown}
<input type="file" id="pictures-${name}" name="${name}" accept="image/png,image/jpeg,image/webp" aria-describedby="pictures-${name}-hint${faults[name] ? ` pictures-${name}-fault` : ''}"${faults[name] ? html` aria-invalid="true"` : ''}>
<p class="hint" id="pictures-${name}-hint">PNG, JPEG or WebP, at most 5 MB.</p>
${faults[name] ? html`<p class="fault" id="pictures-${name}-fault">${faults[name]}</p>` : ''}${isSet ? html`<label class="check"><input type="checkbox" name="remove_${name}" value="yes"> Remove it</label>` : ''}
</div>
`
  return html`<section aria-labelledby="pictures"><h2 class="part" id="pictures">Pictures</h2>
<form method="post" action="${page.runtime.mount}${PICTURES}" enctype="multipart/form-data"><div class="fields">
${Object.keys(faults).length > 0 ? html`<div class="alert" role="alert"><strong>That did not work.</strong> ${faults.form ?? 'What has to be changed stands beside the fields.'}</div>` : ''}
<input type="hidden" name="csrf" value="${page.browser.csrf}">
${chosen('picture', 'Picture', avatar(page, user), user.profile_image_url !== undefined && !/\/default_normal\.png$/.test(user.profile_image_url))}
${chosen('banner', 'Banner', banner ? html`<img class="banner inset" src="${banner}" alt="" width="600" height="200">` : html``, banner !== undefined)}
<div><button class="button first" type="submit">Save pictures</button></div>
</div></form></section>`
}

// Two pictures and the other fields.
const MOST_BYTES = 11 * 1024 * 1024

async function readUpload(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  // Not destroyed after a refusal, which the browser could not read then.
  for await (const piece of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > MOST_BYTES) throw bodyTooLarge()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

async function savePictures(page: SignedInRequest, files: ReadonlyMap<string, Buffer>): Promise<Sent> {
  const faults: Record<string, string> = {}
  for (const name of ['picture', 'banner'] as const) {
    const bytes = files.get(name)
    const isRemoved = files.has(`remove_${name}`)
    if (!isRemoved && (bytes === undefined || bytes.length === 0)) continue
    try {
      await setPicture(page.runtime, page.viewer.id, name, isRemoved ? undefined : bytes)
    } catch (error) {
      if (!(error instanceof FieldFaults)) throw error
      Object.assign(faults, error.faults)
    }
  }
  if (Object.keys(faults).length > 0) throw new FieldFaults(faults)
  return { to: '/i/settings?done=picture' }
}

function fieldsOf(files: ReadonlyMap<string, Buffer>, browser: Browser): Map<string, string> | undefined {
  const fields = new Map([['csrf', files.get('csrf')?.toString('utf8') ?? '']])
  return isOwnForm(fields, browser) ? fields : undefined
}

const nothing = async (): Promise<Sent> => ({ to: '/i/settings' })

/** Files come as a form of several parts, which may be larger than other bodies. */
const picturesForm: Endpoint = {
  ...defineStreamingEndpoint('savePictures', `POST ${PICTURES}`, async (request, runtime, { path, stream }) => {
    const page = await openPage(request, runtime, path)
    // Nobody else may send large bodies.
    if (!page.viewer || page.browser.isElsewhere) return answerForm(page, undefined, nothing, show)
    const body = await readUpload(stream)
    const parts = (await readFormParts(body, String(request.headers['content-type'] ?? ''))) ?? []
    const files = new Map(parts)
    const form = fieldsOf(files, page.browser)
    return answerForm(page, form, (signedIn) => savePictures(signedIn, files), show)
  }),
  limit: PEOPLE_LIMIT,
}

/** The profile of the signed-in user. */
export const profileSettingsPages = [
  defineSignedInPage('settingsPage', 'GET /i/settings', (page) => show(page, UNSENT)),
  defineForm(
    'saveProfile',
    `POST ${PROFILE}`,
    async (page, form) => {
      await changeProfile(page.runtime, page.viewer.id, {
        name: typed(form, 'name'),
        description: typed(form, 'description').replaceAll('\r\n', '\n'),
        location: typed(form, 'location'),
        url: typed(form, 'url'),
        protected: form.has('protected'),
      })
      return { to: '/i/settings?done=profile' }
    },
    show,
  ),
  picturesForm,
]

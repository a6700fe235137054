import { BytesAnswer } from '../../api-kit/writing/answer.ts'
import { FieldFaults } from '../../identity/accounts/field-faults.ts'
import { html } from '../../identity/pages/html.ts'
import { exportAccount } from '../../social/accounts/export-account.ts'
import { defineSignedInPage } from '../define-page.ts'
import type { PageContent } from '../layout.ts'
import type { SignedInRequest } from '../page-request.ts'
import { accountForm } from './fields.ts'
import { defineForm, type FormState, UNSENT } from './form-page.ts'
import { settingsPage } from './settings-frame.ts'

const PATH = '/i/settings/data'
const DOWNLOAD = `${PATH}/download` as const
const DOWNLOADS = { limit: 20, seconds: 3600 }

const show = async (page: SignedInRequest, state: FormState): Promise<PageContent> =>
  settingsPage(page, {
    title: 'Your data',
    section: PATH,
    main: html`<div class="fields prose">
<p>Download what this server has of you: your profile, posts, likes, bookmarks, follows, blocks, mutes, lists, communities, notes, apps, and the messages that you can see.</p>
<p class="soft">It is a compressed file of JSON lines (<code>.jsonl.gz</code>), one thing per line. Pictures and videos are in it by their keys. Encrypted messages are not in it: only your devices can read them.</p>
</div>
${accountForm(page, state, DOWNLOAD, html``, { text: 'Download your data' })}`,
  })

/** The export of one's own data. */
export const ownDataPages = [
  defineSignedInPage('ownDataPage', `GET ${PATH}`, (page) => show(page, UNSENT)),
  defineForm(
    'downloadOwnData',
    `POST ${DOWNLOAD}`,
    async ({ runtime, viewer, now }) => {
      if ((await runtime.limiter.take(`own-data:${viewer.id}`, DOWNLOADS)).exceeded)
        throw new FieldFaults({ form: 'You downloaded your data often. Try again in an hour.' })
      const day = new Date(now).toISOString().slice(0, 10)
      return new BytesAnswer(undefined, exportAccount(runtime, viewer.id), 200, {
        'content-type': 'application/gzip',
        'content-disposition': `attachment; filename="rostra-${viewer.username}-${day}.jsonl.gz"`,
        'cache-control': 'no-store',
      })
    },
    show,
  ),
]

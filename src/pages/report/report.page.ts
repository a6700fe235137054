import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { neutral } from '../../api-kit/naming/naming.ts'
import { readContext } from '../../api-kit/reading/read-context.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { html } from '../../identity/pages/html.ts'
import { LONGEST_COMMENT, REPORT_REASONS, REPORTED_KINDS, report } from '../../social/reports/report.ts'
import { defineAction, defineSignedInPage, localPath } from '../define-page.ts'
import { ownCaller } from '../own-app.ts'
import { pageForm, textField } from '../parts/form.ts'

const reportPage = defineSignedInPage('reportPage', 'GET /i/report', async (page) => {
  const kind = REPORTED_KINDS.find((name) => page.query.has(name))
  if (kind === undefined) throw blank(404, 'This address has no page.')
  const hidden = { kind, id: page.query.get(kind), return_to: localPath(page.query.get('return_to')) }
  return {
    title: 'Report',
    main: html`<h1 class="top">Report this ${kind}</h1>
${pageForm(page, {
  action: '/i/actions/report',
  hidden,
  content: html`<fieldset><legend>What is wrong?</legend>${Object.entries(REPORT_REASONS).map(([reason, words]) => html`<label class="tick"><input type="radio" name="reason" value="${reason}" required> ${words}</label>`)}</fieldset>
${textField({ name: 'comment', label: 'Anything else (optional)', most: LONGEST_COMMENT, isLong: true })}`,
  submit: 'Send the report',
})}`,
  }
})

const reportedPage = defineSignedInPage('reportedPage', 'GET /i/report/sent', async (page) => ({
  title: 'Thank you',
  main: html`<div class="empty"><h1>Thank you</h1><p class="soft">The people who run this server will look at it.</p><p><a class="button" href="${page.runtime.mount}${localPath(page.query.get('return_to')) ?? '/home'}">Back</a></p></div>`,
}))

const reportAction = defineAction('reportAction', 'POST /i/actions/report', async (page) => {
  const { runtime, form } = page
  const given = (name: string) => form.get(name) ?? ''
  await report(runtime, readContext(runtime, ownCaller(page.viewer), neutral), {
    kind: given('kind'),
    id: given('id'),
    reason: given('reason'),
    comment: given('comment'),
  })
  const back = localPath(form.get('return_to')) ?? '/home'
  return { to: `/i/report/sent?return_to=${encodeURIComponent(back)}` }
})

export const reportPages: readonly Endpoint[] = [reportPage, reportedPage, reportAction]

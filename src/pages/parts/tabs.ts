import { type Html, html } from '../../identity/pages/html.ts'
import type { PageRequest } from '../page-request.ts'

/** The pages that belong together, as links; the current one is marked. */
export const tabs = (
  { runtime }: PageRequest,
  label: string,
  entries: readonly { path: string; text: string; isCurrent: boolean }[],
): Html =>
  html`<nav class="tabs" aria-label="${label}">${entries.map(
    ({ path, text, isCurrent }) =>
      html`<a href="${runtime.mount}${path}"${isCurrent ? html` aria-current="page"` : ''}>${text}</a>`,
  )}</nav>`

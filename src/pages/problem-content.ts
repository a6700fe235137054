import { html } from '../identity/pages/html.ts'
import type { PageContent } from './layout.ts'
import type { PageRequest } from './page-request.ts'

const TITLES: Record<number, string> = {
  400: 'That did not work',
  403: 'You may not see this',
  404: 'There is nothing here',
  429: 'Too many requests',
}

/** The page of a refusal. */
export function problemContent({ runtime, viewer }: PageRequest, status: number, sentence: string): PageContent {
  const title = TITLES[status] ?? 'That did not work'
  return {
    title,
    status,
    isListed: false,
    main: html`<div class="empty">
<h1>${title}</h1>
<p class="soft">${sentence}</p>
<p><a class="button" href="${runtime.mount}/${viewer ? 'home' : ''}">${viewer ? 'Back to home' : 'Go to the front page'}</a></p>
</div>`,
  }
}

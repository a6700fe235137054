import type { Endpoint } from '../api-kit/declaring/endpoint.ts'
import { accountPages } from './accounts/account-pages.ts'
import { buttonActions } from './actions.ts'
import { openAdLink } from './ads/ad-link.ts'
import { assetEndpoint } from './assets.ts'
import { composePages } from './compose/compose.page.ts'
import { homePage } from './home.page.ts'
import { livePages } from './live/live.page.ts'
import { messageActions } from './messages/message-actions.ts'
import { messagePages } from './messages/messages.page.ts'
import { bookmarkPages } from './mine/bookmarks.page.ts'
import { communityPages } from './mine/communities.page.ts'
import { listPages } from './mine/lists.page.ts'
import { spacePages } from './mine/spaces.page.ts'
import { notePages } from './notes/notes.page.ts'
import { notificationPages } from './notifications/notifications.page.ts'
import { publicPages } from './public/public-pages.ts'
import { reportPages } from './report/report.page.ts'

/** Every page for people, and what their forms do. */
export const peoplePages: readonly Endpoint[] = [
  assetEndpoint,
  homePage,
  openAdLink,
  ...publicPages,
  ...buttonActions,
  ...composePages,
  ...notificationPages,
  ...messagePages,
  ...messageActions,
  ...bookmarkPages,
  ...listPages,
  ...communityPages,
  ...spacePages,
  ...notePages,
  ...reportPages,
  ...livePages,
  ...accountPages,
]

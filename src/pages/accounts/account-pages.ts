import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { appPages } from '../developers/app.page.ts'
import { developerPages } from '../developers/developer.page.ts'
import { accountSettingsPages } from './account-settings.page.ts'
import { connectedAppPages } from './connected-apps.page.ts'
import { ownDataPages } from './own-data.page.ts'
import { profileSettingsPages } from './profile-settings.page.ts'
import { registerPages } from './register.page.ts'
import { sessionPages } from './sessions.page.ts'

/** Registration, everything that users see and change of their own accounts, and their apps. */
export const accountPages: readonly Endpoint[] = [
  ...registerPages,
  ...profileSettingsPages,
  ...accountSettingsPages,
  ...sessionPages,
  ...connectedAppPages,
  ...ownDataPages,
  ...developerPages,
  ...appPages,
]

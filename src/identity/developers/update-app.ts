import type { PermissionLevel, Tier } from '../../api-kit/declaring/caller.ts'
import type { Invalidate } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { webUrl } from '../pages/urls.ts'
import { callbackFault } from '../sign-in/callback.ts'

/** What can be changed of an app. Absent members stay. */
export interface AppChanges {
  name?: string
  tier?: Tier
  permission_level?: PermissionLevel
  client_type?: 'confidential' | 'public'
  sign_in_enabled?: boolean
  naming?: 'auto' | 'legacy'
  suspended?: boolean
  callback_urls?: string[]
  description?: string
  website_url?: string
}

const appUpdate = statement(
  'client_app_update',
  {},
  `update client_app set name = coalesce($2, name), tier = coalesce($3, tier), permission_level = coalesce($4, permission_level),
     client_type = coalesce($5, client_type), sign_in_enabled = coalesce($6, sign_in_enabled), naming = coalesce($7, naming),
     suspended = coalesce($8, suspended), callback_urls = coalesce($9, callback_urls), description = coalesce($10, description),
     website_url = coalesce($11, website_url) where id = $1`,
)

/** Refuses callbacks that cannot be registered, and a website that is not one. */
export function checkAddresses(given: { callback_urls?: string[]; website_url?: string }): void {
  for (const url of given.callback_urls ?? []) {
    const fault = callbackFault(url)
    if (fault) throw invalidParameter('callback_urls', url, fault)
  }
  const website = given.website_url
  if (website && (!/^https?:\/\//i.test(website) || webUrl(website) === null))
    throw invalidParameter('website_url', website, 'website_url must be an http or https URL')
}

/** Changes an app. */
export async function updateApp(tx: Tx, invalidate: Invalidate, appId: string, changes: AppChanges): Promise<void> {
  invalidate('app', appId)
  await appUpdate.count(
    tx,
    appId,
    changes.name ?? null,
    changes.tier ?? null,
    changes.permission_level ?? null,
    changes.client_type ?? null,
    changes.sign_in_enabled ?? null,
    changes.naming ?? null,
    changes.suspended ?? null,
    changes.callback_urls ?? null,
    changes.description ?? null,
    changes.website_url ?? null,
  )
}

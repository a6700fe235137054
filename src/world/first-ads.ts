import { createAccount, grantAccess } from '../ads/accounts/create-account.ts'
import { enrolApp } from '../ads/accounts/enrol-app.ts'
import { createFundingInstrument } from '../ads/campaigns/create-funding.ts'
import { ALLOWLISTS } from '../ads/kit/access.ts'
import type { Invalidate, Runtime } from '../api-kit/runtime.ts'
import type { Tx } from '../storage/database.ts'

/** Ids of the first advertising account and its funding instrument. */
export interface FirstAdsIds {
  account: string
  fundingInstrument: string
}

/** Enrols the first app in the advertising interface and creates a funded account that the first user owns and the second manages. */
export async function makeFirstAds(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  ids: FirstAdsIds,
  appId: string,
  [owner, manager]: [string, string],
): Promise<void> {
  await enrolApp(tx, invalidate, appId, { level: 'standard', allowlists: ALLOWLISTS })
  await createAccount(tx, invalidate, runtime, {
    id: ids.account,
    ownerUserId: owner,
    sandbox: false,
    name: 'First account',
    timezone: 'Europe/Lisbon',
    businessId: ids.account,
    businessName: 'First business',
    industryType: 'TECHNOLOGY',
  })
  await grantAccess(tx, invalidate, ids.account, manager, ['AD_MANAGER'])
  await createFundingInstrument(tx, runtime, ids.account, {
    id: ids.fundingInstrument,
    type: 'CREDIT_LINE',
    currency: 'EUR',
    creditLimitMicros: 10_000_000_000,
  })
}

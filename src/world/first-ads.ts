import { createAccount, grantAccess } from '../ads/accounts/create-account.ts'
import { enrolApp } from '../ads/accounts/enrol-app.ts'
import { createFundingInstrument } from '../ads/campaigns/create-funding.ts'
import { ALLOWLISTS } from '../ads/kit/access.ts'
import type { House, Touch } from '../api-kit/house.ts'
import type { Tx } from '../storage/database.ts'

/** Ids of the first advertising account and its funding instrument. */
export interface FirstAdsIds {
  account: string
  fundingInstrument: string
}

/** Enrols the first app in the advertising interface and gives the first user an account with money, which the second manages too. */
export async function makeFirstAds(
  tx: Tx,
  touch: Touch,
  house: House,
  ids: FirstAdsIds,
  appId: string,
  [owner, manager]: [string, string],
): Promise<void> {
  await enrolApp(tx, touch, appId, { level: 'standard', allowlists: ALLOWLISTS })
  await createAccount(tx, touch, house, {
    id: ids.account,
    ownerUserId: owner,
    sandbox: false,
    name: 'First account',
    timezone: 'Europe/Lisbon',
    businessId: ids.account,
    businessName: 'First business',
    industryType: 'TECHNOLOGY',
  })
  await grantAccess(tx, touch, ids.account, manager, ['AD_MANAGER'])
  await createFundingInstrument(tx, house, ids.account, {
    id: ids.fundingInstrument,
    type: 'CREDIT_LINE',
    currency: 'EUR',
    creditLimitMicros: 10_000_000_000,
  })
}

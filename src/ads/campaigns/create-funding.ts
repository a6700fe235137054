import type { Runtime } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { wholeSecond } from '../kit/times.ts'

const fundingAdd = statement(
  'ads_funding_add',
  {},
  `insert into ads_funding_instrument (id, account_id, type, description, entity_status, currency, credit_limit_local_micro, funded_amount_local_micro, start_time, end_time, created_at, updated_at)
   values ($1, $2, $3, $4, 'ACTIVE', $5, $6, $7, $8, null, $8, $8)`,
)

/** A funding instrument that an operator creates. */
export interface FundingDraft {
  id?: string
  type: string
  currency: string
  description?: string | null
  creditLimitMicros?: number | null
  fundedMicros?: number | null
}

/** Creates a funding instrument; outside of the sandbox no operation does. */
export async function createFundingInstrument(
  tx: Tx,
  runtime: Runtime,
  accountId: string,
  draft: FundingDraft,
): Promise<string> {
  const id = draft.id ?? runtime.ids.next()
  await fundingAdd.count(
    tx,
    id,
    accountId,
    draft.type,
    draft.description ?? null,
    draft.currency,
    draft.creditLimitMicros ?? null,
    draft.fundedMicros ?? null,
    wholeSecond(runtime.clock.now()),
  )
  return id
}

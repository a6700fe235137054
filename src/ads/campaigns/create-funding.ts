import type { Runtime } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { wholeSecond } from '../kit/times.ts'

const fundingAdd = statement(
  'ads_funding_add',
  {},
  `insert into ads_funding_instrument (id, account_id, type, description, entity_status, currency, credit_limit_local_micro, funded_amount_local_micro, start_time, end_time, created_at, updated_at)
   values ($1, $2, $3, $4, $9, $5, $6, $7, $10, $11, $12, $8)`,
)
const spentAdd = statement(
  'ads_funding_spent_add',
  {},
  `insert into ads_spend (entity_id, day, spent) values ($1, 'infinity', $2)`,
)

/** A funding instrument that an operator creates. */
export interface FundingDraft {
  id?: string
  type: string
  currency: string
  description?: string | null
  creditLimitMicros?: number | null
  fundedMicros?: number | null
  /** What was spent of it elsewhere, before it was created here. */
  spentMicros?: number
  isPaused?: boolean
  /** Now, unless given. */
  startTime?: Date
  endTime?: Date | null
  /** When it was created elsewhere; now, unless given. */
  createdAt?: Date
}

/** Creates a funding instrument; outside of the sandbox no operation does. */
export async function createFundingInstrument(
  tx: Tx,
  runtime: Runtime,
  accountId: string,
  draft: FundingDraft,
): Promise<string> {
  const id = draft.id ?? runtime.ids.next()
  const now = wholeSecond(runtime.clock.now())
  await fundingAdd.count(
    tx,
    id,
    accountId,
    draft.type,
    draft.description ?? null,
    draft.currency,
    draft.creditLimitMicros ?? null,
    draft.fundedMicros ?? null,
    now,
    draft.isPaused ? 'PAUSED' : 'ACTIVE',
    draft.startTime ?? now,
    draft.endTime ?? null,
    draft.createdAt ?? now,
  )
  if (draft.spentMicros) await spentAdd.count(tx, id, draft.spentMicros)
  return id
}

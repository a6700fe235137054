import type { Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { parseBase36 } from '../kit/values.ts'
import { createFundingInstrument, type FundingDraft } from './create-funding.ts'

const sharedLine = statement(
  'ads_credit_line_shared',
  { id: 'int8', currency: 'text', credit_limit: 'int8?', credit_line_id: 'int8?' },
  `select f.id, f.currency, f.credit_limit_local_micro as credit_limit, f.credit_line_id
     from ads_funding_instrument f join ads_account a on a.id = f.account_id join ads_account b on b.id = $2 and b.sandbox = a.sandbox
    where f.id = $1 and f.type = 'CREDIT_LINE' and not f.deleted and not a.deleted and f.account_id <> b.id
      for update of f`,
)
const spendRowMake = statement(
  'ads_credit_line_spend_row',
  {},
  `insert into ads_spend (entity_id, day) values ($1, 'infinity') on conflict do nothing`,
)
// Locks what the instrument spent: the ad server charges it before or after, never in between.
const spentLock = statement(
  'ads_credit_line_spent',
  { spent: 'int8' },
  `select spent from ads_spend where entity_id = $1 and day = 'infinity' for update`,
)
const spentCopy = statement(
  'ads_credit_line_spent_copy',
  {},
  `insert into ads_spend (entity_id, day, spent) values ($1, 'infinity', $2)`,
)
const lineSet = statement(
  'ads_credit_line_set',
  {},
  'update ads_funding_instrument set credit_line_id = $2 where id = any($1::bigint[])',
)

/** What an account gets that uses the credit line of another. */
export interface SharedCredit {
  id: string
  currency: string
}

/** What an instrument that shares a credit line does not have from the line. */
export type SharingDraft = Pick<FundingDraft, 'id' | 'description' | 'isPaused' | 'startTime' | 'endTime' | 'createdAt'>

/** Gives an account a funding instrument that uses the credit line of another account's: both lower what remains. */
export async function shareCreditLine(
  tx: Tx,
  runtime: Runtime,
  accountId: string,
  shared: string,
  draft: SharingDraft = {},
): Promise<SharedCredit> {
  const sharedId = parseBase36(shared)
  const line = sharedId === undefined ? undefined : await sharedLine.first(tx, sharedId, accountId)
  if (!line)
    throw invalidParameter(
      'shares',
      shared,
      `shares [${shared}] is not the id of a CREDIT_LINE of another account of the same environment`,
    )
  const lineId = line.credit_line_id ?? (await openLine(tx, runtime, line.id))
  const id = await createFundingInstrument(tx, runtime, accountId, {
    ...draft,
    type: 'CREDIT_LINE',
    currency: line.currency,
    creditLimitMicros: line.credit_limit === null ? null : Number(line.credit_limit),
  })
  await lineSet.count(tx, [line.id, id], lineId)
  return { id, currency: line.currency }
}

/** A number for the line, under which what was spent so far is spent already. */
async function openLine(tx: Tx, runtime: Runtime, fundingId: string): Promise<string> {
  const lineId = runtime.ids.next()
  await spendRowMake.count(tx, fundingId)
  const { spent } = (await spentLock.first(tx, fundingId))!
  await spentCopy.count(tx, lineId, spent)
  return lineId
}

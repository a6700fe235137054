import { createFundingInstrument } from '../../../ads/campaigns/create-funding.ts'
import { type SharingDraft, shareCreditLine } from '../../../ads/campaigns/share-credit-line.ts'
import { wholeSecond } from '../../../ads/kit/times.ts'
import { parseBase36, toBase36 } from '../../../ads/kit/values.ts'
import { statement } from '../../../storage/statement.ts'
import { isRelative, readMoment } from '../moments.ts'
import type { WorldAdsAccount, WorldFunding } from '../things.schema.ts'
import type { Applying } from './applying.ts'

const fundingRead = statement(
  'world_ads_funding_read',
  {
    id: 'int8',
    account_id: 'int8',
    type: 'text',
    currency: 'text',
    amount: 'int8?',
    credit_line_id: 'int8?',
    description: 'text?',
    entity_status: 'text',
    start_time: 'timestamptz',
    end_time: 'timestamptz?',
    deleted: 'bool',
  },
  `select id, account_id, type, currency, coalesce(credit_limit_local_micro, funded_amount_local_micro) as amount, credit_line_id, description,
          entity_status, start_time, end_time, deleted
     from ads_funding_instrument where account_id = any($1::bigint[]) or id = any($2::bigint[]) order by id`,
)
// The limit of a credit line is that of all who share it.
const limitUpdate = statement(
  'world_ads_funding_limit_update',
  {},
  `update ads_funding_instrument set updated_at = $3,
          credit_limit_local_micro = case when type in ('INSERTION_ORDER', 'PARTNER_MANAGED') then null else $2::bigint end,
          funded_amount_local_micro = case when type in ('INSERTION_ORDER', 'PARTNER_MANAGED') then $2::bigint end
    where id = $1 or credit_line_id = (select credit_line_id from ads_funding_instrument where id = $1)`,
)
const fundingUpdate = statement(
  'world_ads_funding_update',
  {},
  `update ads_funding_instrument set description = $2, entity_status = $3, start_time = $4, end_time = $5, updated_at = $6 where id = $1`,
)
type Row = Awaited<ReturnType<typeof fundingRead.all>>[number]

/** An account of a file, whose id is known. */
export interface FundedAccount {
  id: string
  draft: WorldAdsAccount
  where: string
}

/** A funding instrument of a file, and what is stored of it. */
interface Instrument {
  account: FundedAccount
  draft: WorldFunding
  where: string
  id: string | undefined
  row: Row | undefined
}

/** Creates and changes the funding instruments of a file. Without an id, each is the account's next of its type and currency. */
export async function applyFunding(run: Applying, accounts: readonly FundedAccount[]): Promise<void> {
  const drafts = accounts.flatMap((account) =>
    (account.draft.funding_instruments ?? []).map((draft, at) => ({
      account,
      draft,
      where: `${account.where}.funding_instruments[${at}]`,
      id: draft.id === undefined ? undefined : parseBase36(draft.id),
    })),
  )
  if (drafts.length === 0) return
  const rows = await fundingRead.all(
    run.tx,
    accounts.map((account) => account.id),
    drafts.flatMap(({ id, draft }) => [id ?? [], parseBase36(draft.shares ?? '') ?? []].flat()),
  )
  const named = new Set(drafts.map((draft) => draft.id))
  const unnamed = rows.filter((row) => !row.deleted && !named.has(row.id))
  const instruments = drafts.map((given): Instrument => {
    if (given.draft.id !== undefined) return { ...given, row: rows.find((row) => row.id === given.id) }
    const { type, currency } = given.draft
    const at = unnamed.findIndex(
      (row) => row.account_id === given.account.id && row.type === type && row.currency === currency,
    )
    return { ...given, row: at === -1 ? undefined : unnamed.splice(at, 1)[0] }
  })
  checkInstruments(run, instruments)
  for (const instrument of instruments) if (instrument.row) await changeInstrument(run, instrument, instrument.row)
  const isShared = ({ draft }: Instrument) => draft.shares !== undefined
  const fresh = instruments.filter((instrument) => !instrument.row)
  for (const instrument of fresh.filter((item) => !isShared(item)))
    await createInstrument(run, instrument, async (draft) => {
      const { type, currency, amount_local_micro: amount = null, spent_local_micro: spentMicros = 0 } = instrument.draft
      const isFunded = type === 'INSERTION_ORDER' || type === 'PARTNER_MANAGED'
      const money = isFunded ? { fundedMicros: amount } : { creditLimitMicros: amount }
      return createFundingInstrument(run.tx, run.runtime, instrument.account.id, {
        ...draft,
        ...money,
        type,
        currency,
        spentMicros,
      })
    })
  await applyShares(run, instruments, rows)
}

/** Creates the instruments that share a credit line, each after the one it shares with. */
async function applyShares(run: Applying, all: readonly Instrument[], rows: readonly Row[]): Promise<void> {
  const byKey = new Map(all.flatMap((item) => (item.draft.key === undefined ? [] : [[item.draft.key, item] as const])))
  const target = ({ draft }: Instrument) => {
    const id = parseBase36(draft.shares!)
    return byKey.get(draft.shares!) ?? all.find((item) => id !== undefined && item.id === id)
  }
  let waiting = all.filter(({ draft }) => draft.shares !== undefined)
  while (waiting.length > 0) {
    const ready = waiting.filter((item) => !waiting.includes(target(item)!))
    for (const item of ready) await applyShare(run, item, target(item), rows)
    run.stopOnFaults()
    if (ready.length === 0) {
      for (const { draft, where } of waiting) run.fault(`${where}.shares`, draft.shares, 'shares with itself')
      run.stopOnFaults()
    }
    waiting = waiting.filter((item) => !ready.includes(item))
  }
}

async function applyShare(
  run: Applying,
  instrument: Instrument,
  other: Instrument | undefined,
  rows: readonly Row[],
): Promise<void> {
  const { draft, where, row } = instrument
  const at = `${where}.shares`
  const otherId = other ? other.id : parseBase36(draft.shares!)
  if (row) {
    const line = (other?.row ?? rows.find((item) => item.id === otherId))?.credit_line_id
    if (!line || line !== row.credit_line_id)
      run.fault(at, draft.shares, `the funding instrument ${toBase36(row.id)} exists, and this cannot change`)
    return
  }
  const shared = otherId === undefined ? draft.shares! : toBase36(otherId)
  await createInstrument(run, instrument, async (given) => {
    const make = () => shareCreditLine(run.tx, run.runtime, instrument.account.id, shared, given)
    const made = await run.checking(at, draft.shares, make)
    if (made && made.currency !== draft.currency)
      run.fault(`${where}.currency`, draft.currency, `is ${made.currency} where the credit line is`)
    return made?.id
  })
}

async function createInstrument(
  run: Applying,
  instrument: Instrument,
  make: (draft: SharingDraft) => Promise<string | undefined>,
): Promise<void> {
  const { draft, id } = instrument
  const { start, end, created } = timesOf(run, instrument)
  instrument.id = await make({
    ...(id === undefined ? {} : { id }),
    description: draft.description ?? null,
    isPaused: draft.paused ?? false,
    ...(start ? { startTime: start } : {}),
    endTime: end ?? null,
    ...(created ? { createdAt: created } : {}),
  })
  run.report.add('created', 'funding instrument', `${draft.type} of ${instrument.account.draft.name}`)
}

/** What is wrong with the instruments themselves, whatever they share. */
function checkInstruments(run: Applying, instruments: readonly Instrument[]): void {
  const ids = new Map<string, string>()
  const keys = new Map<string, string>()
  const once = (known: Map<string, string>, name: string | undefined, where: string, value: string | undefined) => {
    if (name === undefined) return
    if (known.has(name)) run.fault(where, value, `${known.get(name)} has it too`)
    known.set(name, where)
  }
  for (const { account, draft, where, id, row } of instruments) {
    if (draft.id !== undefined && id === undefined) run.fault(`${where}.id`, draft.id, 'is not an id')
    once(ids, row?.id ?? id, `${where}.id`, draft.id)
    once(keys, draft.key, `${where}.key`, draft.key)
    if (row?.deleted) run.fault(`${where}.id`, draft.id, 'was deleted, and an id is never used again')
    if (row && row.account_id !== account.id) run.fault(`${where}.id`, draft.id, 'is the id of another account')
    for (const name of ['type', 'currency'] as const)
      if (row && row[name] !== draft[name])
        run.fault(
          `${where}.${name}`,
          draft[name],
          `the funding instrument ${toBase36(row.id)} exists, and this cannot change`,
        )
    if (draft.shares === undefined) continue
    if (draft.type !== 'CREDIT_LINE')
      run.fault(`${where}.type`, draft.type, 'has to be CREDIT_LINE together with shares')
    for (const name of ['amount_local_micro', 'spent_local_micro'] as const)
      if (draft[name] !== undefined)
        run.fault(`${where}.${name}`, String(draft[name]), 'cannot be used together with shares')
  }
  for (const instrument of instruments) timesOf(run, instrument)
  run.stopOnFaults()
}

async function changeInstrument(run: Applying, instrument: Instrument, row: Row): Promise<void> {
  const { draft, account } = instrument
  instrument.id = row.id
  const now = wholeSecond(run.runtime.clock.now())
  const names: string[] = []
  if (draft.amount_local_micro !== undefined && String(draft.amount_local_micro) !== row.amount) {
    await limitUpdate.count(run.tx, row.id, draft.amount_local_micro, now)
    names.push('amount_local_micro')
  }
  const { start = row.start_time, end = row.end_time } = timesOf(run, instrument)
  const status = draft.paused === undefined ? row.entity_status : draft.paused ? 'PAUSED' : 'ACTIVE'
  const description = draft.description ?? row.description
  const others = [
    ...(description === row.description ? [] : ['description']),
    ...(status === row.entity_status ? [] : ['paused']),
    // A relative time means another one each time the file is applied.
    ...(start.getTime() === row.start_time.getTime() || isRelative(draft.start_time!) ? [] : ['start_time']),
    ...(end?.getTime() === row.end_time?.getTime() || isRelative(draft.end_time!) ? [] : ['end_time']),
  ]
  if (others.length > 0) {
    const starts = others.includes('start_time') ? start : row.start_time
    const ends = others.includes('end_time') ? end : row.end_time
    await fundingUpdate.count(run.tx, row.id, description, status, starts, ends, now)
  }
  names.push(...others)
  const what = `${draft.type} of ${account.draft.name}${names.length > 0 ? `: ${names.join(', ')}` : ''}`
  run.report.add(names.length > 0 ? 'changed' : 'unchanged', 'funding instrument', what)
}

// The years that the advertising interface knows.
const EARLIEST_MS = 0
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59)

function timesOf(run: Applying, { draft, where, row }: Instrument): { start?: Date; end?: Date; created?: Date } {
  const read = (name: 'start_time' | 'end_time' | 'created_at') => {
    const given = draft[name]
    if (given === undefined) return {}
    const ms = readMoment(given, run.now)
    if (ms !== undefined && ms >= EARLIEST_MS && ms <= LATEST_MS) return { [name]: wholeSecond(ms) }
    run.fault(`${where}.${name}`, given, 'is not a time that a funding instrument can have')
    return {}
  }
  const times: { start_time?: Date; end_time?: Date; created_at?: Date } = {
    ...read('start_time'),
    ...read('end_time'),
    ...read('created_at'),
  }
  const { start_time: start, end_time: end, created_at: created } = times
  const begins = start ?? row?.start_time ?? new Date(run.now)
  if (end && end <= begins) run.fault(`${where}.end_time`, draft.end_time, 'has to be later than start_time')
  return { ...(start ? { start } : {}), ...(end ? { end } : {}), ...(created ? { created } : {}) }
}

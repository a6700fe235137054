import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { localHour } from '../kit/local-time.ts'
import { OUTCOME, OUTCOME_NAMES } from './outcomes.ts'

const COUNTS = OUTCOME_NAMES.length
const counted = (prefix: string) => OUTCOME_NAMES.map((name) => `${prefix}${name}`).join(', ')

const hoursAdd = statement(
  'ads_hours_add',
  {},
  `insert into ads_hour as h (entity_id, hour, placement, first_at, last_at, billed_charge, ${counted('')})
   select * from unnest($1::bigint[], $2::timestamptz[], $3::int2[], $4::timestamptz[], $5::timestamptz[], $6::bigint[],
                        ${OUTCOME_NAMES.map((_, at) => `$${at + 7}::int[]`).join(', ')})
   on conflict (entity_id, hour, placement) do update set
     first_at = least(h.first_at, excluded.first_at), last_at = greatest(h.last_at, excluded.last_at),
     billed_charge = h.billed_charge + excluded.billed_charge,
     ${OUTCOME_NAMES.map((name) => `${name} = h.${name} + excluded.${name}`).join(', ')}`,
)

/** The records that something is counted for: what is promoted, its line item, campaign, funding instrument and account. */
export interface CountedFor {
  promotedId: string
  lineItemId: string
  campaignId: string
  fundingId: string
  accountId: string
  /** The time zone of the account: hours are those of its days. */
  timezone: string
}

interface Row {
  entityId: string
  hour: number
  placement: number
  firstAt: number
  lastAt: number
  charge: number
  counts: Int32Array
}

/** Counts of events that are stored together. */
export class HourCounts {
  readonly #rows = new Map<string, Row>()

  add(records: CountedFor, placement: number, at: number, outcomes: number, charge: number): void {
    const hour = localHour(at, records.timezone)
    this.#add(records.promotedId, hour, placement, at, outcomes, charge)
    this.#add(records.lineItemId, hour, placement, at, outcomes, charge)
    this.#add(records.campaignId, hour, placement, at, outcomes, charge)
    this.#add(records.fundingId, hour, placement, at, outcomes, charge)
    this.#add(records.accountId, hour, placement, at, outcomes, charge)
  }

  #add(entityId: string, hour: number, placement: number, at: number, outcomes: number, charge: number): void {
    const key = `${entityId} ${hour} ${placement}`
    let row = this.#rows.get(key)
    if (!row) {
      row = { entityId, hour, placement, firstAt: at, lastAt: at, charge: 0, counts: new Int32Array(COUNTS) }
      this.#rows.set(key, row)
    }
    if (at < row.firstAt) row.firstAt = at
    if (at > row.lastAt) row.lastAt = at
    row.charge += charge
    for (let bits = outcomes; bits !== 0; bits &= bits - 1) row.counts[31 - Math.clz32(bits & -bits)]! += 1
  }

  /** Adds them to what is stored. Rows are locked in one order, so two processes do not wait for each other. */
  async store(tx: Tx): Promise<void> {
    if (this.#rows.size === 0) return
    const rows = [...this.#rows.values()].sort(
      (one, other) =>
        compareIds(one.entityId, other.entityId) || one.hour - other.hour || one.placement - other.placement,
    )
    await hoursAdd.count(
      tx,
      rows.map((row) => row.entityId),
      rows.map((row) => new Date(row.hour).toISOString()),
      rows.map((row) => row.placement),
      rows.map((row) => new Date(row.firstAt).toISOString()),
      rows.map((row) => new Date(row.lastAt).toISOString()),
      rows.map((row) => row.charge),
      ...OUTCOME_NAMES.map((_, at) => rows.map((row) => row.counts[at]!)),
    )
  }
}

/** Orders ids by their numbers. */
export const compareIds = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : one > other ? 1 : 0)

// The columns are in the order of the bits.
for (const [at, name] of OUTCOME_NAMES.entries())
  if (OUTCOME[name] !== 1 << at) throw new Error(`The bit of ${name} is not in order`)

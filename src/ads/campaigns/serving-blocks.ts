import { Type } from '../../api-kit/declaring/schema.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { jsonKind, type Kind } from '../kit/values.ts'

/** A period in which a record does not serve, and why. The ends are times of PostgreSQL, which may be infinite. */
interface Block {
  reason: string
  since: string
  until: string
}

/** The periods of a record, as records read them from a view of blocks. */
export const blocksKind: Kind<Block[]> = jsonKind(Type.Array(Type.Unknown()))

const VIEWS = {
  funding_instrument: 'ads_funding_block',
  campaign: 'ads_campaign_block',
  line_item: 'ads_line_item_block',
}

/** SQL for the periods of the record with an id. */
export const blocksSql = (kind: keyof typeof VIEWS, id: string): string =>
  `(select jsonb_agg(jsonb_build_object('reason', b.reason, 'since', b.since, 'until', b.until))
      from ${VIEWS[kind]} b where b.${kind}_id = ${id})`

/** SQL that is true when nothing keeps a line item from serving at a time. */
export const lineItemServes = (id: string, now: string): string =>
  `not exists (select from ads_line_item_block b where b.line_item_id = ${id} and b.since <= ${now} and b.until > ${now})`

/** The reasons that hold at a time, each once and in alphabetical order. */
export function reasonsAt(blocks: readonly Block[] | null, now: number): string[] {
  const holding = (blocks ?? []).filter((block) => timeOf(block.since) <= now && now < timeOf(block.until))
  return [...new Set(holding.map((block) => block.reason))].sort()
}

const timeOf = (text: string): number =>
  text === 'infinity' ? Number.POSITIVE_INFINITY : text === '-infinity' ? Number.NEGATIVE_INFINITY : Date.parse(text)

const lineItemReasons = statement(
  'ads_line_item_reasons',
  { line_item_id: 'int8', reasons: 'text[]' },
  `select k.id as line_item_id, array_agg(distinct b.reason order by b.reason) as reasons
     from unnest($1::bigint[]) k (id) join ads_line_item_block b on b.line_item_id = k.id and b.since <= $2 and b.until > $2
    group by k.id`,
)

/** Why line items do not serve at a time. Those that serve are not in the map. */
export async function readLineItemReasons(
  db: Db,
  ids: readonly string[],
  now: number,
): Promise<Map<string, readonly string[]>> {
  if (ids.length === 0) return new Map()
  const rows = await lineItemReasons.all(db, [...ids], new Date(now))
  return new Map(rows.map((row) => [row.line_item_id, row.reasons]))
}

/** The state of a line item in the words of campaigns. */
export const effectiveLineItemStatus = (
  status: string,
  campaignStatus: string,
  reasons: readonly string[],
): 'UNKNOWN' | 'PAUSED' | 'RUNNING' | 'ACTIVE' =>
  status === 'DRAFT' || campaignStatus === 'DRAFT'
    ? 'UNKNOWN'
    : status === 'PAUSED' || campaignStatus === 'PAUSED'
      ? 'PAUSED'
      : reasons.length === 0
        ? 'RUNNING'
        : 'ACTIVE'

import type { SqlValue } from '../../storage/statement.ts'
import { readCursor, writeCursor } from './cursor.ts'
import type { AdsEntity, EntityDeclaration, FilterUse, ListQuery, Sort } from './entity.ts'
import { LIVE, NO_DRAFTS, withTieBreaker } from './entity-sql.ts'
import { type AdsError, AdsProblem, exclusiveParameters, invalidParameter } from './errors.ts'
import type { AdsAnswer, AdsInput, Params } from './operation.ts'
import { optional, required } from './operation.ts'
import { flagKind, type Kind, listKind, textKind, wholeKind } from './values.ts'

const COUNT = { initial: 200, max: 1_000 }

/** The parameters of a page: its size and where it starts. */
export const pageParams = (
  count: { initial: number; max: number } = COUNT,
  cursor: Kind<string> = textKind({ min: 1, max: 2_000 }),
) => ({
  count: optional(wholeKind({ min: 1, max: count.max }), { initial: count.initial }),
  cursor: optional(cursor),
})

/** `sort_by`: attributes with a direction. */
function sortKind(attributes: readonly string[]): Kind<string[]> {
  const allowed = attributes.flatMap((attribute) => [`${attribute}-asc`, `${attribute}-desc`])
  const pattern = new RegExp(`^(?:${attributes.join('|')})-(?:asc|desc)$`)
  return listKind(textKind({ pattern, says: `must be one of ${allowed.join(', ')}` }), { max: attributes.length })
}

/** `with_total_count` and `cursor` exclude each other: the total belongs to the first page. */
export function excludeTotalWithCursor(params: Record<string, unknown>): AdsError[] {
  return params.with_total_count === true && params.cursor !== undefined
    ? [exclusiveParameters('cursor', 'cursor and with_total_count exclude each other')]
    : []
}

/** The parameters of an entity's list. */
export function listParams({ declared }: Pick<AdsEntity, 'declared'>): Params {
  const params: Params = {}
  for (const [name, item] of Object.entries(declared.filters ?? {}))
    params[name] = item.required ? required(item.kind) : optional(item.kind)
  Object.assign(params, pageParams(declared.count))
  if (declared.named) params.q = optional(textKind({ min: 1, max: declared.namedMax ?? 255 }))
  if (declared.sorts) params.sort_by = optional(sortKind(declared.sorts))
  if (!declared.plainList) {
    params.with_deleted = optional(flagKind, { initial: false })
    params.with_total_count = optional(flagKind, { initial: false })
  }
  if (declared.drafts) params.with_draft = optional(flagKind, { initial: false })
  return params
}

/** Returns a page of an entity's records. */
export async function listRecords(entity: AdsEntity, input: AdsInput): Promise<AdsAnswer> {
  const { params, runtime } = input
  const sorts = readSorts(params.sort_by as string[] | undefined)
  const order = withTieBreaker(sorts)
  const orderName = order.map((item) => `${item.attribute}${item.descending ? '-' : '+'}`).join('')
  const count = params.count as number
  const query: ListQuery = {
    owner: entity.scope.owner(input),
    filters: filtersOf(entity, input),
    sorts,
    after: params.cursor === undefined ? undefined : readAfter(params.cursor as string, orderName, order, entity),
    limit: count + 1,
  }
  const [found, total] = await Promise.all([
    entity.sql.list(runtime.database, query),
    params.with_total_count === true ? entity.sql.count(runtime.database, query) : undefined,
  ])
  const page = found.slice(0, count)
  const last = page.at(-1)
  const hasMore = found.length > count && last !== undefined
  const now = runtime.clock.now()
  return {
    data: page.map((record) => entity.toReply(record, now)),
    next_cursor: hasMore
      ? writeCursor({ order: orderName, values: order.map((item) => entity.sql.sortValue(last, item.attribute)) })
      : null,
    ...(total === undefined ? {} : { total_count: total }),
  }
}

// An invented cursor is refused before its values reach PostgreSQL.
function readAfter(cursor: string, orderName: string, order: Sort[], entity: AdsEntity): (string | number)[] {
  const values = readCursor(cursor, orderName, order.length)
  if (!order.every((item, at) => entity.sql.isSortValue(values[at]!, item.attribute)))
    throw new AdsProblem([invalidParameter('cursor', 'is not a next_cursor of this list')])
  return values
}

function readSorts(given: string[] | undefined): Sort[] {
  return (given ?? []).map((text) => {
    const cut = text.lastIndexOf('-')
    return { attribute: text.slice(0, cut), descending: text.slice(cut + 1) === 'desc' }
  })
}

function filtersOf(entity: AdsEntity, input: AdsInput): FilterUse[] {
  const { params, path } = input
  const { declared } = entity
  const filters: FilterUse[] = declared.narrow?.(input) ?? []
  if (declared.under)
    filters.push({
      name: 'under',
      sql: (placeholder) => `r.${declared.under!.field} = ${placeholder}::bigint`,
      value: path[declared.under.field]!,
    })
  for (const [name, item] of Object.entries(declared.filters ?? {}))
    if (params[name] !== undefined) filters.push({ name, sql: item.sql, value: params[name] as SqlValue })
  if (params.q !== undefined)
    filters.push({
      name: 'q',
      sql: (placeholder) => `lower(r.${declared.named}) like ${placeholder}::text`,
      value: `${likePrefix(params.q as string)}%`,
    })
  if (params.with_deleted !== true)
    filters.push({
      name: LIVE,
      sql: (placeholder) => `(${liveCondition(declared)}) = ${placeholder}::bool`,
      value: true,
    })
  if (declared.drafts && params.with_draft !== true)
    filters.push({ name: NO_DRAFTS, sql: (placeholder) => `r.entity_status <> ${placeholder}::text`, value: 'DRAFT' })
  return filters
}

const liveCondition = (declared: EntityDeclaration): string =>
  declared.hiddenWhen ? `not r.deleted and not (${declared.hiddenWhen})` : 'not r.deleted'

/** A lower-case LIKE pattern that matches the text itself. */
export const likePrefix = (text: string): string => text.toLowerCase().replace(/[\\%_]/g, '\\$&')

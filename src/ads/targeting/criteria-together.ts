import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { LineItem } from '../campaigns/line-item.fields.ts'
import { CONTENT_CATEGORIES } from '../categories/content-categories.data.ts'
import { AdsError, invalidParameter } from '../kit/errors.ts'
import { deviceByValue, platformOf } from '../targeting-options/device-options.ts'
import { findLocation } from '../targeting-options/locations.ts'
import { isBroadcastIn, showByValue } from '../targeting-options/shows.ts'
import { searchesOnly } from './criterion.rules.ts'
import type { CriterionChange, CriterionFacts } from './targeting-criterion.fields.ts'
import { factsOf, KEYWORD_TYPES, MOST_KEYWORDS } from './targeting-types.data.ts'

/** Live criteria of line items, only of some types: a line item may have thousands of others. */
export const criteriaOfLineItems = statement(
  'ads_criteria_of_line_items',
  { id: 'int8', line_item_id: 'int8', targeting_type: 'text', targeting_value: 'text', operator_type: 'text' },
  `select id, line_item_id, targeting_type, targeting_value, operator_type from ads_targeting_criterion
    where line_item_id = any($1::bigint[]) and targeting_type = any($2::text[]) and not deleted`,
)
const curatedLineItems = statement(
  'ads_curated_line_items',
  { line_item_id: 'int8' },
  'select line_item_id from ads_line_item_curated_category where line_item_id = any($1::bigint[]) and not deleted',
)
const searchLineItems = statement(
  'ads_search_line_items_beyond_keywords',
  { id: 'int8' },
  `select l.id from ads_line_item l where l.id = any($1::bigint[]) and l.placements = '{PLATFORM_SEARCH}'
      and exists (select 1 from ads_targeting_criterion c where c.line_item_id = l.id and not c.deleted
                     and c.targeting_type <> all($2::text[]) and c.id <> all($3::bigint[]))`,
)

/** Types whose criteria are checked together. */
const GROUPS: readonly (readonly string[])[] = [
  KEYWORD_TYPES,
  ['PLATFORM', 'DEVICE'],
  ['TV_SHOW', 'LOCATION'],
  ['ENGAGEMENT_TYPE', 'CAMPAIGN_ENGAGEMENT', 'USER_ENGAGEMENT'],
  ['CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED'],
]
const EXCLUDED_PUBLISHERS = { curated: 5, otherwise: 50 }

/** A criterion of a line item, stored or about to be. */
type StoredCriterion = Omit<CriterionFacts, 'operator_type'> & {
  id: string
  line_item_id: string
  operator_type: string
}

/** The criteria of a line item as they will be, by type. */
type CriteriaAfter = Map<string, StoredCriterion[]>

/** Checks the rules between the criteria of a line item, as they will be after all changes. */
export async function togetherErrors(tx: Tx, changes: CriterionChange[]): Promise<AdsError[][]> {
  const lineItemIds = [...new Set(changes.map((item) => item.record.line_item_id))]
  const types = new Set(changes.map((item) => item.record.targeting_type))
  for (const group of GROUPS) if (group.some((type) => types.has(type))) for (const type of group) types.add(type)
  if (changes.some((item) => item.kind === 'create' && searchesOnly(item.context.parents.line_item_id)))
    for (const type of KEYWORD_TYPES) types.add(type)
  const rows = await criteriaOfLineItems.all(tx, lineItemIds, [...types])
  const hasPreroll = types.has('IAB_CATEGORY') || types.has('CONTENT_PUBLISHER_USER')
  const curated = new Set(
    hasPreroll ? (await curatedLineItems.all(tx, lineItemIds)).map((row) => row.line_item_id) : [],
  )
  const deletedIds = new Set(changes.filter((item) => item.kind === 'delete').map((item) => item.record.id))
  const afterByLineItem = new Map<string, CriteriaAfter>(lineItemIds.map((id) => [id, new Map()]))
  const created = changes.filter((item) => item.kind === 'create').map((item) => item.record)
  for (const row of [...rows.filter((item) => !deletedIds.has(item.id)), ...created]) {
    const after = afterByLineItem.get(row.line_item_id)!
    const ofType = after.get(row.targeting_type)
    if (ofType) ofType.push(row)
    else after.set(row.targeting_type, [row])
  }
  const duplicates = findDuplicates(
    rows.filter((item) => !deletedIds.has(item.id)),
    created,
  )
  const excess = findExcess(afterByLineItem, created, curated)
  const keyless = await withoutKeywords(tx, changes, afterByLineItem, [...deletedIds])
  return changes.map(({ kind, record, context }) => {
    const after = afterByLineItem.get(record.line_item_id)!
    if (kind === 'delete') return deletionErrors(record, after, keyless)
    if (duplicates.has(record.id))
      return [invalidParameter('targeting_value', 'the line item already has this criterion')]
    const tooMany = excess.get(record.id)
    if (tooMany) return [invalidParameter('targeting_type', tooMany, record.targeting_type)]
    return [
      ...combinationErrors(record, after),
      ...televisionErrors(record, after),
      ...prerollErrors(record, after, curated.has(record.line_item_id)),
      ...searchErrors(record, after, context.parents.line_item_id),
    ]
  })
}

const all = (after: CriteriaAfter, ...types: string[]): StoredCriterion[] =>
  types.flatMap((type) => after.get(type) ?? [])

const keyOf = (item: StoredCriterion): string =>
  `${item.line_item_id} ${item.targeting_type} ${item.targeting_value.toLowerCase()}`

function findDuplicates(before: readonly StoredCriterion[], created: readonly StoredCriterion[]): Set<string> {
  const seen = new Set(before.map(keyOf))
  const duplicates = new Set<string>()
  for (const item of created) {
    const key = keyOf(item)
    if (seen.has(key)) duplicates.add(item.id)
    seen.add(key)
  }
  return duplicates
}

/** The new criteria that exceed what a line item may have, each with the limit. */
function findExcess(
  afterByLineItem: Map<string, CriteriaAfter>,
  created: readonly StoredCriterion[],
  curated: ReadonlySet<string>,
): Map<string, string> {
  const excess = new Map<string, string>()
  const newIds = new Set(created.map((item) => item.id))
  const limit = (items: readonly StoredCriterion[], most: number, says: string) => {
    const over = items.length - most
    if (over <= 0) return
    for (const item of items.filter((one) => newIds.has(one.id)).slice(-over)) excess.set(item.id, says)
  }
  for (const [lineItemId, after] of afterByLineItem) {
    limit(all(after, ...KEYWORD_TYPES), MOST_KEYWORDS, `a line item has at most ${MOST_KEYWORDS} keywords`)
    const most = curated.has(lineItemId) ? EXCLUDED_PUBLISHERS.curated : EXCLUDED_PUBLISHERS.otherwise
    const kind = curated.has(lineItemId) ? 'a curated category' : 'content categories'
    limit(all(after, 'CONTENT_PUBLISHER_USER'), most, `a line item with ${kind} may exclude at most ${most} publishers`)
    for (const [type, items] of after) {
      const { max } = factsOf(type)
      if (max !== undefined) limit(items, max, `a line item has at most ${max} of the type ${type}`)
    }
  }
  return excess
}

/** Types that exclude or need each other. */
function combinationErrors(record: StoredCriterion, after: CriteriaAfter): AdsError[] {
  const { targeting_type: type, targeting_value: value } = record
  if (type === 'DEVICE' || type === 'PLATFORM') {
    const devices = type === 'DEVICE' ? [record] : all(after, 'DEVICE')
    const platforms = new Set(
      (type === 'PLATFORM' ? [record] : all(after, 'PLATFORM')).map((item) => item.targeting_value),
    )
    if (devices.some((item) => platforms.has(platformOf(deviceByValue.get(item.targeting_value)!.os))))
      return [invalidParameter('targeting_value', 'a device cannot be combined with its platform', value)]
  }
  if (type === 'ENGAGEMENT_TYPE' && all(after, 'CAMPAIGN_ENGAGEMENT', 'USER_ENGAGEMENT').length === 0)
    return [
      new AdsError('INVALID_TARGETING_TYPE', 'The targeting type needs another one', {
        parameter: 'targeting_type',
        details: 'needs a CAMPAIGN_ENGAGEMENT or USER_ENGAGEMENT on the same line item',
        value: type,
      }),
    ]
  if (type === 'CUSTOM_AUDIENCE' || type === 'CUSTOM_AUDIENCE_EXPANDED') {
    const other = type === 'CUSTOM_AUDIENCE' ? 'CUSTOM_AUDIENCE_EXPANDED' : 'CUSTOM_AUDIENCE'
    if (all(after, other).some((item) => item.targeting_value === value))
      return [
        invalidParameter('targeting_value', 'an audience and its lookalike cannot be on the same line item', value),
      ]
  }
  return []
}

const televisionError = (code: string, details: string): AdsError =>
  new AdsError(code, 'The television show and the locations do not fit together', {
    parameter: 'targeting_value',
    details,
  })

/** A show needs locations, all of which must be in its markets. */
function televisionErrors(record: StoredCriterion, after: CriteriaAfter): AdsError[] {
  const isShow = record.targeting_type === 'TV_SHOW'
  if (!isShow && record.targeting_type !== 'LOCATION') return []
  const shows = isShow ? [record] : all(after, 'TV_SHOW')
  const locations = isShow ? targeted(after) : [record].filter((item) => item.operator_type !== 'NE')
  if (isShow && locations.length === 0)
    return [televisionError('INVALID_TV_SHOW_LOCATIONS', 'a show needs at least one LOCATION on the line item')]
  const isOutside = locations.some((location) =>
    shows.some(
      (show) =>
        !isBroadcastIn(showByValue.get(show.targeting_value)!, findLocation(location.targeting_value)!.countryCode),
    ),
  )
  if (!isOutside) return []
  return [
    isShow
      ? televisionError(
          'TV_SHOW_OUTSIDE_MARKET',
          'every LOCATION of the line item must be in a country where the show is broadcast',
        )
      : televisionError('INVALID_TV_SHOW_LOCATIONS', 'the line item targets shows that are not broadcast there'),
  ]
}

const targeted = (after: CriteriaAfter): StoredCriterion[] =>
  all(after, 'LOCATION').filter((item) => item.operator_type !== 'NE')

/** Content categories are targeted as complete sets, and not together with a curated category. */
function prerollErrors(record: StoredCriterion, after: CriteriaAfter, isCurated: boolean): AdsError[] {
  if (record.targeting_type !== 'IAB_CATEGORY') return []
  if (isCurated)
    return [
      invalidParameter(
        'targeting_type',
        'the line item has a curated category, which cannot be combined with content categories',
      ),
    ]
  return isComplete(record.targeting_value, after) ? [] : [incomplete(record.targeting_value)]
}

function isComplete(code: string, after: CriteriaAfter): boolean {
  const codes = new Set(all(after, 'IAB_CATEGORY').map((item) => item.targeting_value))
  return CONTENT_CATEGORIES.some(
    ({ iab_categories: set }) => set.includes(code) && set.every((item) => codes.has(item)),
  )
}

const incomplete = (code: string): AdsError => {
  const sets = CONTENT_CATEGORIES.filter((item) => item.iab_categories.includes(code))
  const wanted = sets.map((item) => item.iab_categories.join(', ')).join(' or ')
  return invalidParameter('targeting_value', `needs the complete set of a content category: ${wanted}`, code)
}

/** A line item that is only shown in search results needs a keyword. */
function searchErrors(record: StoredCriterion, after: CriteriaAfter, lineItem: LineItem): AdsError[] {
  if (!searchesOnly(lineItem) || KEYWORD_TYPES.includes(record.targeting_type)) return []
  return hasKeyword(after)
    ? []
    : [
        new AdsError('INVALID_TARGETING_TYPE', 'The targeting type needs another one', {
          parameter: 'targeting_type',
          details: 'a line item with only the placement PLATFORM_SEARCH needs a keyword with the operator EQ first',
          value: record.targeting_type,
        }),
      ]
}

const hasKeyword = (after: CriteriaAfter): boolean =>
  all(after, ...KEYWORD_TYPES).some((item) => item.operator_type === 'EQ')

/** Line items that are only shown in search results and would lose their last keyword while other criteria remain. */
async function withoutKeywords(
  tx: Tx,
  changes: CriterionChange[],
  afterByLineItem: Map<string, CriteriaAfter>,
  deletedIds: string[],
): Promise<Set<string>> {
  const losing = changes
    .filter(
      ({ kind, record }) =>
        kind === 'delete' && isKeyword(record) && !hasKeyword(afterByLineItem.get(record.line_item_id)!),
    )
    .map(({ record }) => record.line_item_id)
  if (losing.length === 0) return new Set()
  const rows = await searchLineItems.all(tx, losing, [...KEYWORD_TYPES], deletedIds)
  return new Set(rows.map((row) => row.id))
}

const isKeyword = (record: StoredCriterion): boolean =>
  KEYWORD_TYPES.includes(record.targeting_type) && record.operator_type === 'EQ'

/** A criterion that others need cannot be deleted before them. */
function deletionErrors(record: StoredCriterion, after: CriteriaAfter, keyless: ReadonlySet<string>): AdsError[] {
  const { targeting_type: type } = record
  if (isKeyword(record) && keyless.has(record.line_item_id))
    return [
      invalidParameter(
        'targeting_criterion_id',
        'a line item with only the placement PLATFORM_SEARCH needs a keyword with the operator EQ while it has other criteria',
      ),
    ]
  if (type === 'LOCATION' && all(after, 'TV_SHOW').length > 0 && targeted(after).length === 0)
    return [televisionError('INVALID_TV_SHOW_LOCATIONS', 'the shows of the line item need at least one LOCATION')]
  const isEngager = type === 'CAMPAIGN_ENGAGEMENT' || type === 'USER_ENGAGEMENT'
  if (
    isEngager &&
    all(after, 'ENGAGEMENT_TYPE').length > 0 &&
    all(after, 'CAMPAIGN_ENGAGEMENT', 'USER_ENGAGEMENT').length === 0
  )
    return [invalidParameter('targeting_criterion_id', 'the ENGAGEMENT_TYPE of the line item needs it')]
  if (type === 'IAB_CATEGORY') {
    const left = all(after, 'IAB_CATEGORY').find((item) => !isComplete(item.targeting_value, after))
    if (left)
      return [
        invalidParameter('targeting_criterion_id', 'content categories are deleted as complete sets, in one batch'),
      ]
  }
  return []
}

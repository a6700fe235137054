import { defineAdsEntity } from '../kit/define-entity.ts'
import type { FilterUse } from '../kit/entity.ts'
import { exclusiveParameters } from '../kit/errors.ts'
import { filter } from '../kit/field.ts'
import { type AdsInput, optional } from '../kit/operation.ts'
import { flagKind, listKind, oneOfKind } from '../kit/values.ts'
import { anyCardIdKind, cardUrisKind, numbersOf, showCardId } from './card-ids.ts'
import { COMPONENT_CARD_TYPES, TYPED_CARD_TYPES } from './card-types.data.ts'
import {
  componentCardFields,
  componentCardJoins,
  componentCardReads,
  componentCardShown,
} from './component-card.shape.ts'

const cardType = oneOfKind(COMPONENT_CARD_TYPES)
const cardTypeKind: typeof cardType = {
  ...cardType,
  read: (sent, parameter) => {
    const read = cardType.read(sent, parameter)
    return typeof read === 'string'
      ? read
      : read.with({ code: 'UNKNOWN_CARD_TYPE', message: 'There is no such card type' })
  },
}

/** Cards of every type, as the list of an account's cards shows them. */
export const cards = defineAdsEntity({
  name: 'card',
  plural: 'cards',
  tag: 'Cards',
  component: 'ListedCard',
  table: 'ads_card',
  isView: true,
  notFound: 'CARD_NOT_FOUND',
  sparse: true,
  fields: componentCardFields,
  joins: componentCardJoins,
  reads: componentCardReads,
  shown: {
    ...componentCardShown,
    id: { schema: anyCardIdKind.schema, show: (record) => showCardId(record.id, record.card_type) },
  },
  filters: {
    card_types: filter(listKind(cardTypeKind), (placeholder) => `r.card_type = any(${placeholder}::text[])`),
    card_uris: filter(cardUrisKind, (placeholder) => `r.card_uri = any(${placeholder}::text[])`),
  },
  narrow,
  named: 'name',
  namedMax: 80,
  sorts: ['created_at', 'updated_at', 'deleted', 'name'],
  count: { initial: 100, max: 200 },
  plainList: true,
  may: { see: 'see creatives', manage: 'manage creatives' },
  operations: {
    list: {
      id: 'listCards',
      summary: 'List cards; those of the typed paths only when asked for',
      moreParams: {
        card_id: optional(listKind(anyCardIdKind)),
        // The lists of typed cards have the plural; clients send it here too.
        card_ids: optional(listKind(anyCardIdKind)),
        include_legacy_cards: optional(flagKind, { initial: false }),
        with_deleted: optional(flagKind, { initial: false }),
      },
      check: ({ card_id, card_ids }) =>
        card_id && card_ids ? [exclusiveParameters('card_ids', 'card_id and card_ids exclude each other')] : [],
    },
  },
})

type ListInput = AdsInput<{ include_legacy_cards?: boolean; card_id?: string[]; card_ids?: string[] }>

function narrow({ params }: ListInput): FilterUse[] {
  const { include_legacy_cards: withTyped, card_id: cardIds = params.card_ids } = params
  const filters: FilterUse[] = []
  if (withTyped !== true)
    filters.push({
      name: 'component cards',
      sql: (placeholder) => `r.card_type <> all(${placeholder}::text[])`,
      value: TYPED_CARD_TYPES,
    })
  if (cardIds)
    filters.push({
      name: 'card_id',
      sql: (placeholder) => `r.id = any(${placeholder}::bigint[])`,
      value: cardIds.flatMap(numbersOf),
    })
  return filters
}

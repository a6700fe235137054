import { Type } from '../../api-kit/declaring/schema.ts'
import { isStorableId } from '../../process/ids.ts'
import { defineAdsEntity, filter } from '../kit/entity.ts'
import { listParams, listRecords } from '../kit/list-records.ts'
import { defineAdsOperation, optional } from '../kit/operation.ts'
import { flagKind, type Kind, listKind, oneOfKind, parseBase36, textKind, toBase36 } from '../kit/values.ts'
import { COMPONENT_CARD_TYPES, isTypedCard, TYPED_CARD_TYPES } from './card-types.data.ts'
import {
  componentCardFields,
  componentCardJoins,
  componentCardReads,
  componentCardShown,
} from './component-card.shape.ts'

const ID = { pattern: /^[0-9a-z]{1,20}$/i, says: 'must be the id of a card' }

/** The id of a card of any kind: decimal for cards of components, in base 36 for the others. */
export const anyCardIdKind: Kind<string> = {
  ...textKind(ID),
  schema: Type.String({ pattern: '^[0-9a-z]{1,20}$' }),
  echo: (id) => id.toLowerCase(),
}

/** What a card is called in paths and replies. */
export const showCardId = (id: string, cardType: string): string => (isTypedCard(cardType) ? toBase36(id) : id)

/** Every number that an id of a card may stand for. */
export const numbersOf = (id: string): string[] => [
  ...(isStorableId(id) ? [id] : []),
  ...(parseBase36(id) === undefined ? [] : [parseBase36(id)!]),
]

export const cardUrisKind = listKind(
  textKind({ pattern: /^card:\/\/[0-9]{1,19}$/, says: 'must be card:// with a number' }),
)

const cardType = oneOfKind(COMPONENT_CARD_TYPES)
const cardTypeKind: typeof cardType = {
  ...cardType,
  read: (sent, parameter) => {
    const read = cardType.read(sent, parameter)
    return typeof read === 'string'
      ? read
      : read.with({ code: 'UNKNOWN_CARD_TYPE', message: 'There is no such type of cards' })
  },
}

/** Cards of every kind, as the list of an account's cards shows them. */
const cards = defineAdsEntity({
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
    card_types: filter(listKind(cardTypeKind), (place) => `r.card_type = any(${place}::text[])`),
    card_uris: filter(cardUrisKind, (place) => `r.card_uri = any(${place}::text[])`),
  },
  narrow: ({ params }) => [
    ...(params.include_legacy_cards === true
      ? []
      : [
          {
            name: 'of components',
            sql: (place: string) => `r.card_type <> all(${place}::text[])`,
            value: TYPED_CARD_TYPES,
          },
        ]),
    ...(params.card_id === undefined
      ? []
      : [
          {
            name: 'card_id',
            sql: (place: string) => `r.id = any(${place}::bigint[])`,
            value: (params.card_id as string[]).flatMap(numbersOf),
          },
        ]),
  ],
  named: 'name',
  namedMax: 80,
  sorts: ['created_at', 'updated_at', 'deleted', 'name'],
  count: { initial: 100, max: 200 },
  plainList: true,
  may: { see: 'see creatives', manage: 'manage creatives' },
  operations: {},
})

export const listCards = defineAdsOperation({
  id: 'listCards',
  route: 'GET /12/accounts/{account_id}/cards',
  tag: 'Cards',
  summary: 'List cards; those of the typed paths only when asked for',
  params: {
    ...listParams(cards),
    card_id: optional(listKind(anyCardIdKind)),
    include_legacy_cards: optional(flagKind, { initial: false }),
    with_deleted: optional(flagKind, { initial: false }),
  },
  data: cards.schema,
  envelope: 'list',
  may: 'see creatives',
  handle: (input) => listRecords(cards, input as never),
})

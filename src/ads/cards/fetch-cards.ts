import { Type } from '../../api-kit/declaring/schema.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import type { AdsEntity, Fields, Reads, RecordOf } from '../kit/entity.ts'
import { AdsProblem, notFound } from '../kit/errors.ts'
import { type AdsContext, defineAdsOperation, optional, required } from '../kit/operation.ts'
import { flagKind } from '../kit/values.ts'
import { anyCardIdKind, cardUrisKind, numbersOf, showCardId } from './card-ids.ts'
import { COMPONENT_CARD_TYPES, POLL_CARD_TYPES } from './card-types.data.ts'
import { componentCards } from './component-card.entity.ts'
import { FetchedCard, fetchComponentCard, fetchTypedCard } from './fetched-card.ts'
import { imageConversationCards } from './image-conversation-card.entity.ts'
import { pollCards } from './poll-card.entity.ts'
import { videoConversationCards } from './video-conversation-card.entity.ts'

interface CardKind {
  types: ReadonlySet<string>
  /** The cards with these ids, as the fetch operations show them. */
  read(context: AdsContext, ids: readonly string[]): Promise<(readonly [string, Record<string, unknown>])[]>
}

const cardKind = <F extends Fields, R extends Reads>(
  types: readonly string[],
  entity: AdsEntity<F, R>,
  show: (record: RecordOf<F, R>, shown: Record<string, unknown>) => Record<string, unknown>,
): CardKind => ({
  types: new Set(types),
  read: async ({ runtime, account }, ids) => {
    const now = runtime.clock.now()
    const records = await entity.records(runtime.database, account.id, ids)
    return [...records].map(([id, record]) => [id, show(record, entity.toReply(record, now))] as const)
  },
})

const CARD_KINDS: readonly CardKind[] = [
  cardKind(COMPONENT_CARD_TYPES, componentCards, fetchComponentCard),
  cardKind(POLL_CARD_TYPES, pollCards, fetchTypedCard),
  cardKind(['IMAGE_CONVERSATION'], imageConversationCards, fetchTypedCard),
  cardKind(['VIDEO_CONVERSATION'], videoConversationCards, fetchTypedCard),
]

const columns = { id: 'int8', card_uri: 'text', card_type: 'text' } as const
const cardsByUri = statement(
  'ads_cards_by_uri',
  columns,
  'select id, card_uri, card_type from ads_card where account_id = $1 and card_uri = any($2::text[]) and (not deleted or $3::bool)',
)
const cardsById = statement(
  'ads_cards_by_id',
  columns,
  'select id, card_uri, card_type from ads_card where account_id = $1 and id = any($2::bigint[]) and (not deleted or $3::bool)',
)

/** Reads cards of any type in the given order, with one statement for each kind that is among them. */
async function readCards(
  context: AdsContext,
  found: readonly RowOf<typeof columns>[],
): Promise<Record<string, unknown>[]> {
  const groups = await Promise.all(
    CARD_KINDS.map((kind) => {
      const ids = found.filter((card) => kind.types.has(card.card_type)).map((card) => card.id)
      return kind.read(context, ids)
    }),
  )
  const byId = new Map(groups.flat())
  return found.flatMap(({ id }) => {
    const card = byId.get(id)
    return card ? [card] : []
  })
}

const fetchCardsByUri = defineAdsOperation({
  id: 'fetchCardsByUri',
  route: 'GET /12/accounts/{account_id}/cards/all',
  tag: 'Cards Fetch',
  summary: 'Fetch cards of any type by their URIs',
  params: { card_uris: required(cardUrisKind), with_deleted: optional(flagKind, { initial: false }) },
  data: Type.Array(FetchedCard),
  may: 'see creatives',
  handle: async (input) => {
    const { card_uris: uris, with_deleted: withDeleted } = input.params
    const rows = await cardsByUri.all(input.runtime.database, input.account.id, uris, withDeleted === true)
    const byUri = new Map(rows.map((row) => [row.card_uri, row]))
    const found = [...new Set(uris)].flatMap((uri) => byUri.get(uri) ?? [])
    return { data: await readCards(input, found) }
  },
})

const fetchCardById = defineAdsOperation({
  id: 'fetchCardById',
  route: 'GET /12/accounts/{account_id}/cards/all/{card_id}',
  tag: 'Cards Fetch',
  summary: 'Fetch a card of any type by its id',
  path: { card_id: { kind: anyCardIdKind, missing: 'CARD_NOT_FOUND' } },
  params: { with_deleted: optional(flagKind, { initial: false }) },
  data: FetchedCard,
  may: 'see creatives',
  handle: async (input) => {
    const id = input.path.card_id!.toLowerCase()
    const withDeleted = input.params.with_deleted === true
    const rows = await cardsById.all(input.runtime.database, input.account.id, numbersOf(id), withDeleted)
    // The same digits may be a decimal id and an id in base 36.
    const found = rows.filter((row) => showCardId(row.id, row.card_type) === id)
    const [card] = await readCards(input, found)
    if (!card) throw new AdsProblem([notFound('CARD_NOT_FOUND', 'card_id', id)])
    return { data: card }
  },
})

export const fetchCardOperations = [fetchCardsByUri, fetchCardById]

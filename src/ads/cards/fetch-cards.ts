import { Type } from '../../api-kit/declaring/schema.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import type { AdsEntity } from '../kit/entity.ts'
import { AdsProblem, notFound } from '../kit/errors.ts'
import { type AdsInput, defineAdsOperation, optional, required } from '../kit/operation.ts'
import { flagKind } from '../kit/values.ts'
import { componentCards } from './component-card.entity.ts'
import { FetchedCard, toFetchedCard } from './fetched-card.ts'
import { imageConversationCards } from './image-conversation-card.entity.ts'
import { anyCardIdKind, cardUrisKind, numbersOf, showCardId } from './list-cards.ts'
import { pollCards } from './poll-card.entity.ts'
import { videoConversationCards } from './video-conversation-card.entity.ts'

const KINDS: readonly AdsEntity[] = [componentCards, pollCards, imageConversationCards, videoConversationCards]

const kindOf = (cardType: string): AdsEntity =>
  cardType.endsWith('_POLLS')
    ? pollCards
    : cardType === 'IMAGE_CONVERSATION'
      ? imageConversationCards
      : cardType === 'VIDEO_CONVERSATION'
        ? videoConversationCards
        : componentCards

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

/** Reads cards of any kinds in their order: one statement for each kind that is among them. */
async function readCards({ runtime, account }: AdsInput<never, never>, found: RowOf<typeof columns>[]) {
  const now = runtime.clock.now()
  const groups = await Promise.all(
    KINDS.map(async (kind) => {
      const ids = found.filter((card) => kindOf(card.card_type) === kind).map((card) => card.id)
      const records = await kind.records(runtime.database, account.id, ids)
      return [...records].map(([id, record]) => [id, toFetchedCard(kind, record, now)] as const)
    }),
  )
  const byId = new Map(groups.flat())
  return found.flatMap((card) => byId.get(card.id) ?? [])
}

const fetchCardsByUri = defineAdsOperation({
  id: 'fetchCardsByUri',
  route: 'GET /12/accounts/{account_id}/cards/all',
  tag: 'Cards Fetch',
  summary: 'Fetch cards of any kind by their addresses',
  params: { card_uris: required(cardUrisKind), with_deleted: optional(flagKind, { initial: false }) },
  data: Type.Array(FetchedCard),
  may: 'see creatives',
  handle: async (input) => {
    const { card_uris: uris, with_deleted: withDeleted } = input.params
    const rows = await cardsByUri.all(input.runtime.database, input.account.id, uris, withDeleted === true)
    const byUri = new Map(rows.map((row) => [row.card_uri, row]))
    return {
      data: await readCards(
        input as never,
        [...new Set(uris)].flatMap((uri) => byUri.get(uri) ?? []),
      ),
    }
  },
})

const fetchCardById = defineAdsOperation({
  id: 'fetchCardById',
  route: 'GET /12/accounts/{account_id}/cards/all/{card_id}',
  tag: 'Cards Fetch',
  summary: 'Fetch a card of any kind by its id',
  path: { card_id: { kind: anyCardIdKind, missing: 'CARD_NOT_FOUND' } },
  params: { with_deleted: optional(flagKind, { initial: false }) },
  data: FetchedCard,
  may: 'see creatives',
  handle: async (input) => {
    const id = input.path.card_id!.toLowerCase()
    const withDeleted = input.params.with_deleted === true
    const rows = await cardsById.all(input.runtime.database, input.account.id, numbersOf(id), withDeleted)
    // The same digits may be a number and an id in base 36.
    const found = rows.filter((row) => showCardId(row.id, row.card_type) === id)
    const [card] = await readCards(input as never, found)
    if (!card) throw new AdsProblem([notFound('CARD_NOT_FOUND', 'card_id', id)])
    return { data: card }
  },
})

export const fetchCardOperations = [fetchCardsByUri, fetchCardById]

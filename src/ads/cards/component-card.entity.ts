import type { Static } from '../../api-kit/declaring/schema.ts'
import { storeLinks } from '../../social/links/short-link.ts'
import type { Tx } from '../../storage/database.ts'
import { changeRecord } from '../kit/change-records.ts'
import { type Change, defineAdsEntity, type Loose } from '../kit/entity.ts'
import { type AdsError, AdsProblem, exclusiveParameters, missingParameter } from '../kit/errors.ts'
import { defineAdsOperation } from '../kit/operation.ts'
import { decimalKind } from '../kit/values.ts'
import { type Arrangement, arrangementErrors, cardTypeOf, mediaOf } from './card-components.rules.ts'
import { type CardComponent, CardCreateRequest, CardUpdateRequest } from './card-components.schemas.ts'
import { type Fit, findLibraryMedia, mediaErrors } from './card-media.ts'
import {
  componentCardFields,
  componentCardJoins,
  componentCardReads,
  componentCardShown,
} from './component-card.shape.ts'

const FIT: Fit = { image: ['1:1', '1.91:1'], video: ['16:9', '1:1'] }

/** Cards that are put together from components. */
export const componentCards = defineAdsEntity({
  name: 'card',
  plural: 'cards',
  tag: 'Cards',
  component: 'Card',
  table: 'ads_component_card',
  notFound: 'CARD_NOT_FOUND',
  idKind: decimalKind,
  sparse: true,
  fields: componentCardFields,
  joins: componentCardJoins,
  reads: componentCardReads,
  shown: componentCardShown,
  may: { see: 'see creatives', manage: 'manage creatives' },
  operations: { get: 'getCard', delete: 'deleteCard' },
  check: (draft, { isCreate, given }) => (isCreate || isArranged(given) ? arrangementErrors(draft) : []),
  derive: (draft) => {
    draft.media_keys = [...new Set(mediaOf(draft).map((media) => media.key))]
  },
  checkAll: async (tx, changes) => {
    const arranged = changes.filter(
      (item) => item.kind === 'create' || (item.kind === 'update' && isArranged(item.context.given)),
    )
    const keys = arranged.flatMap((item) => item.record.media_keys as string[])
    const known = await findLibraryMedia(tx, changes[0]!.context.account.id, keys)
    return changes.map((item): AdsError[] => {
      if (!arranged.includes(item)) return []
      const arrangement = item.record as Arrangement
      const media = mediaOf(arrangement)
      const errors = media.flatMap(({ key, parameter }) => mediaErrors(known.get(key), FIT, parameter, key))
      const kinds = new Set(media.map(({ key }) => (known.get(key)?.type === 'video' ? 'VIDEO' : 'IMAGE')))
      item.record.card_type = cardTypeOf(arrangement, kinds)
      return errors
    })
  },
  after: keepAddresses,
})

const isArranged = (given: ReadonlySet<string>): boolean => given.has('components') || given.has('slides')

/** The short forms that replies show lead where the cards lead. */
async function keepAddresses(tx: Tx, changes: Change[]): Promise<void> {
  const urls = changes
    .filter((item) => item.kind !== 'delete')
    .flatMap(({ record }) => allComponents(record))
    .flatMap((component) => component.destination?.url ?? [])
  await storeLinks(tx, urls)
}

const allComponents = (record: Loose): CardComponent[] => record.components ?? record.slides?.flat() ?? []

const EXCLUSIVE = 'components and slides exclude each other'

/** The same address; a bare host gets the slash that browsers put behind it. */
const completeAddress = (url: string): string => (/^[a-z]+:\/\/[^/?#]+$/i.test(url) ? `${url}/` : url)

function completeDestinations(components: CardComponent[]): CardComponent[] {
  return components.map((component) => {
    const { destination } = component
    if (destination?.url === undefined) return component
    return { ...component, destination: { ...destination, url: completeAddress(destination.url) } }
  })
}

/** What a body changes: a new arrangement takes the place of the old one as a whole. */
function givenOf({ name, components, slides }: Static<typeof CardUpdateRequest>): Record<string, unknown> {
  if (components && slides) throw new AdsProblem([exclusiveParameters('slides', EXCLUSIVE)])
  return {
    ...(name === undefined ? {} : { name }),
    ...(components ? { components: completeDestinations(components), slides: null } : {}),
    ...(slides ? { slides: slides.map(completeDestinations), components: null } : {}),
  }
}

const createCard = defineAdsOperation({
  id: 'createCard',
  route: 'POST /12/accounts/{account_id}/cards',
  tag: 'Cards',
  summary: 'Create a card from components',
  body: CardCreateRequest,
  data: componentCards.schema,
  may: 'manage creatives',
  handle: async (input) => {
    const given = givenOf(input.body)
    if (!given.components && !given.slides)
      throw new AdsProblem([missingParameter('components', 'one of components and slides is needed')])
    const record = await changeRecord(componentCards, input as never, { kind: 'create', given })
    return { data: componentCards.toReply(record, input.runtime.clock.now()) }
  },
})

const updateCard = defineAdsOperation({
  id: 'updateCard',
  route: 'PUT /12/accounts/{account_id}/cards/{card_id}',
  tag: 'Cards',
  summary: 'Change a card: each member that is sent is replaced as a whole',
  path: { card_id: { kind: decimalKind, missing: 'CARD_NOT_FOUND' } },
  body: CardUpdateRequest,
  data: componentCards.schema,
  may: 'manage creatives',
  handle: async (input) => {
    const wish = { kind: 'update', id: input.path.card_id!, given: givenOf(input.body) } as const
    const record = await changeRecord(componentCards, input as never, wish)
    return { data: componentCards.toReply(record, input.runtime.clock.now()) }
  },
})

export const componentCardOperations = [createCard, updateCard, ...componentCards.all]

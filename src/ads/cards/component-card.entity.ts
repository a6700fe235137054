import type { Static } from '../../api-kit/declaring/schema.ts'
import { storeLinks } from '../../social/links/short-link.ts'
import type { Tx } from '../../storage/database.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import type { Change, Given } from '../kit/entity.ts'
import { type AdsError, AdsProblem, exclusiveParameters, missingParameter } from '../kit/errors.ts'
import type { AdsAnswer, AdsInput } from '../kit/operation.ts'
import { decimalKind } from '../kit/values.ts'
import { arrangementErrors, cardTypeOf, mediaOf } from './card-components.rules.ts'
import { type CardComponent, CardCreateRequest, CardUpdateRequest } from './card-components.schemas.ts'
import { type Fit, findLibraryMedia, mediaErrors } from './card-media.ts'
import {
  componentCardFields,
  componentCardJoins,
  componentCardReads,
  componentCardShown,
} from './component-card.shape.ts'

const FIT: Fit = { image: ['1:1', '1.91:1'], video: ['16:9', '1:1'] }

/** Cards that consist of components. */
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
  operations: {
    get: 'getCard',
    create: {
      id: 'createCard',
      summary: 'Create a card from components',
      body: CardCreateRequest,
      handle: createCard,
    },
    update: {
      id: 'updateCard',
      summary: 'Update a card; each member that is sent is replaced as a whole',
      body: CardUpdateRequest,
      handle: updateCard,
    },
    delete: 'deleteCard',
  },
  initially: { card_uri: ({ id }) => `card://${id}` },
  check: (draft, { isCreate, given }) => (isCreate || givesArrangement(given) ? arrangementErrors(draft) : []),
  derive: (draft) => {
    draft.media_keys = [...new Set(mediaOf(draft).map((media) => media.key))]
  },
  checkAll: async (tx, changes) => {
    const arranged = changes.filter(
      (item) => item.kind === 'create' || (item.kind === 'update' && givesArrangement(item.context.given)),
    )
    const keys = arranged.flatMap((item) => item.record.media_keys ?? [])
    const found = await findLibraryMedia(tx, changes[0]!.context.account.id, keys)
    return changes.map((item): AdsError[] => {
      if (!arranged.includes(item)) return []
      const { record } = item
      const media = mediaOf(record)
      const kinds = new Set(media.map(({ key }) => (found.get(key)?.type === 'video' ? 'VIDEO' : 'IMAGE')))
      record.card_type = cardTypeOf(record, kinds)
      return media.flatMap(({ key, parameter }) => mediaErrors(found.get(key), FIT, parameter, key))
    })
  },
  after: storeDestinations,
})

const givesArrangement = (given: ReadonlySet<string>): boolean => given.has('components') || given.has('slides')

/** Stores the short links that replies show, so they lead to the destinations of the cards. */
async function storeDestinations(
  tx: Tx,
  changes: Change<typeof componentCardFields, typeof componentCardReads>[],
): Promise<void> {
  const urls = changes
    .filter((item) => item.kind !== 'delete')
    .flatMap(({ record }) => record.components ?? record.slides?.flat() ?? [])
    .flatMap((component) => component.destination?.url ?? [])
  await storeLinks(tx, urls)
}

type StandardHandler = (input: AdsInput) => Promise<AdsAnswer>

async function createCard(
  input: AdsInput<Record<string, unknown>, Static<typeof CardCreateRequest>>,
  standard: StandardHandler,
): Promise<AdsAnswer> {
  const given = givenBy(input.body)
  if (!given.components && !given.slides)
    throw new AdsProblem([missingParameter('components', 'one of components and slides is needed')])
  return standard({ ...input, params: given })
}

async function updateCard(
  input: AdsInput<Record<string, unknown>, Static<typeof CardUpdateRequest>>,
  standard: StandardHandler,
): Promise<AdsAnswer> {
  return standard({ ...input, params: givenBy(input.body) })
}

const EXCLUSIVE = 'components and slides exclude each other'

/** The members that a body gives: a new arrangement replaces the old one as a whole. */
function givenBy({ name, components, slides }: Static<typeof CardUpdateRequest>): Given<typeof componentCardFields> {
  if (components && slides) throw new AdsProblem([exclusiveParameters('slides', EXCLUSIVE)])
  return {
    ...(name === undefined ? {} : { name }),
    ...(components ? { components: completeDestinations(components), slides: null } : {}),
    ...(slides ? { slides: slides.map(completeDestinations), components: null } : {}),
  }
}

function completeDestinations(components: CardComponent[]): CardComponent[] {
  return components.map((component) => {
    const { destination } = component
    if (destination?.url === undefined) return component
    return { ...component, destination: { ...destination, url: completeAddress(destination.url) } }
  })
}

/** Adds the slash that browsers add to a bare host. */
const completeAddress = (url: string): string => (/^[a-z]+:\/\/[^/?#]+$/i.test(url) ? `${url}/` : url)

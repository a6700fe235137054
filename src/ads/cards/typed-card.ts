import type { EntityDeclaration } from '../kit/entity.ts'
import { idsFilter, text } from '../kit/field.ts'
import type { EchoRule } from '../kit/operation.ts'

/** The members of every card with a path of its own. */
export const typedCardFields = {
  name: text({ min: 1, max: 80, required: true }),
  // The URI has a number of its own, so it cannot be derived from the card's id.
  card_uri: text({ readOnly: true, always: true, initial: ({ runtime }) => `card://${runtime.ids.next()}` }),
}

/** How such cards are listed, found and deleted. */
export const typedCardRules = {
  notFound: 'CARD_NOT_FOUND',
  idName: 'card_id',
  sparse: true,
  filters: { card_ids: idsFilter('r.id') },
  named: 'name',
  namedMax: 80,
  sorts: ['created_at', 'updated_at', 'deleted', 'name'],
  may: { see: 'see creatives', manage: 'manage creatives' },
} as const

interface OperationIds {
  list: string
  get: string
  create: string
  update?: string
  delete: string
}

interface Echoes {
  /** The card type as paths spell it, which reads and deletions echo. */
  cardType: string
  /** How the echo of a write differs from its parameters. */
  ofWrites: EchoRule
  /** Members of a new card that the echo has too. */
  ofNewCard?: readonly string[]
}

/** The operations of typed cards: their echoes differ. */
export function typedCardOperations(
  ids: OperationIds,
  { cardType, ofWrites, ofNewCard = [] }: Echoes,
): EntityDeclaration['operations'] {
  const echo = { also: { card_type: cardType } }
  return {
    list: { id: ids.list, echo },
    get: { id: ids.get, echo },
    create: {
      id: ids.create,
      echo: ofWrites,
      handle: async (input, standard) => {
        const answer = await standard(input)
        // The standard handler answers with the members of one record.
        const data = answer.data as Record<string, unknown>
        return { ...answer, alsoEchoed: Object.fromEntries(ofNewCard.map((name) => [name, data[name]])) }
      },
    },
    ...(ids.update === undefined ? {} : { update: { id: ids.update, echo: ofWrites } }),
    delete: { id: ids.delete, echo },
  }
}

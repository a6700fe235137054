import { component, Type } from '../../api-kit/declaring/schema.ts'
import { type AdsEntity, filter } from '../kit/entity.ts'
import { text } from '../kit/field.ts'
import type { AdsOperation, EchoRule } from '../kit/operation.ts'
import { idKind, listKind, timeKind } from '../kit/values.ts'

/** What every card with a path of its own has. */
export const typedCardFields = {
  name: text({ min: 1, max: 80, required: true }),
  // A number of its own: nothing can be told from one about the other.
  card_uri: text({ readOnly: true, always: true, initial: (_, { runtime }) => `card://${runtime.ids.next()}` }),
}

/** How such cards are listed, found and removed. */
export const typedCardRules = {
  notFound: 'CARD_NOT_FOUND',
  idName: 'card_id',
  sparse: true,
  filters: { card_ids: filter(listKind(idKind), (place) => `r.id = any(${place}::bigint[])`) },
  named: 'name',
  namedMax: 80,
  sorts: ['created_at', 'updated_at', 'deleted', 'name'],
  may: { see: 'see creatives', manage: 'manage creatives' },
  deletion: 'permanent',
} as const

/** What is left of a card that was removed. */
export const DeletedTypedCard = component(
  'DeletedTypedCard',
  Type.Object({
    id: idKind.schema,
    name: Type.String(),
    start_time: Type.Optional(timeKind.schema),
    card_type: Type.String(),
    created_at: timeKind.schema,
    updated_at: timeKind.schema,
    deleted: Type.Boolean(),
  }),
)

interface Differences {
  /** Word of the path. */
  kind: string
  /** How the echo of a write differs. */
  written: EchoRule
  /** Members of a new card that the echo tells besides. */
  echoed?: readonly string[]
}

/** The operations of typed cards: their echo names the kind of card, and removing one answers what is left of it. */
export function typedCardOperations(entity: AdsEntity, { kind, written, echoed = [] }: Differences): AdsOperation[] {
  return entity.all.map((operation) => {
    const isWrite = operation.method === 'POST' || operation.method === 'PUT'
    return {
      ...operation,
      echo: isWrite ? written : { also: { card_type: kind } },
      ...(operation.method === 'DELETE' ? { data: DeletedTypedCard } : {}),
      ...(operation.method === 'POST' ? { handle: echoing(operation, echoed) } : {}),
    }
  })
}

const echoing =
  (operation: AdsOperation, members: readonly string[]): AdsOperation['handle'] =>
  async (input) => {
    const answer = await operation.handle(input)
    const data = answer.data as Record<string, unknown>
    return { ...answer, alsoEchoed: Object.fromEntries(members.map((name) => [name, data[name]])) }
  }

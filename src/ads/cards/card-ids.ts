import { Type } from '../../api-kit/declaring/schema.ts'
import { isStorableId } from '../../process/ids.ts'
import { type Kind, listKind, parseBase36, textKind, toBase36 } from '../kit/values.ts'
import { isTypedCard } from './card-types.data.ts'

/** The id of a card of any type: decimal for component cards, in base 36 for the others. */
export const anyCardIdKind: Kind<string> = {
  ...textKind({ pattern: /^[0-9a-z]{1,20}$/i, says: 'must be the id of a card' }),
  schema: Type.String({ pattern: '^[0-9a-z]{1,20}$' }),
  echo: (id) => id.toLowerCase(),
}

/** The id of a card as paths and replies spell it. */
export const showCardId = (id: string, cardType: string): string => (isTypedCard(cardType) ? toBase36(id) : id)

/** Every number that a card id can stand for. */
export function numbersOf(id: string): string[] {
  const fromBase36 = parseBase36(id)
  return [...(isStorableId(id) ? [id] : []), ...(fromBase36 === undefined ? [] : [fromBase36])]
}

export const cardUriKind = textKind({ pattern: /^card:\/\/[0-9]{1,19}$/, says: 'must be card:// with a number' })
export const cardUrisKind = listKind(cardUriKind)

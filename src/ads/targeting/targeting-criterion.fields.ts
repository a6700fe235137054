import { Type } from '../../api-kit/declaring/schema.ts'
import { lineItems } from '../campaigns/line-item.entity.ts'
import type { DraftChange, DraftOf, RecordOf, WriteContext } from '../kit/entity.ts'
import { AdsError, invalidParameter } from '../kit/errors.ts'
import { field, long, oneOf, reads, reference } from '../kit/field.ts'
import { type Kind, oneOfKind, textKind } from '../kit/values.ts'
import { CRITERION_OPERATORS, TYPE_NAMES } from './targeting-types.data.ts'

const isTypeName = (text: string): boolean => (TYPE_NAMES as readonly string[]).includes(text)

/** A targeting type; other words have a special error code. */
export const typeKind: Kind<string> = {
  ...oneOfKind(TYPE_NAMES),
  read: (sent, parameter) =>
    typeof sent === 'string' && isTypeName(sent)
      ? sent
      : new AdsError('UNKNOWN_CRITERIA_TYPE', 'There is no such targeting type', {
          parameter,
          details: `must be one of ${TYPE_NAMES.join(', ')}`,
          value: typeof sent === 'string' ? sent.slice(0, 200) : sent,
        }),
}

const text = textKind({ min: 1, max: 1_000 })
/** The value of a criterion: text or, in a JSON body, a number. */
export const valueKind: Kind<string> = {
  ...text,
  schema: Type.Unsafe<string>({ type: ['string', 'integer'] }),
  read: (sent, parameter) =>
    typeof sent === 'number' && !Number.isSafeInteger(sent)
      ? invalidParameter(parameter, 'numbers above 2^53 lose digits in JSON; send them as strings', sent)
      : text.read(typeof sent === 'number' ? String(sent) : sent, parameter),
}

export const criterionFields = {
  line_item_id: reference(() => lineItems, { required: true, createOnly: true }),
  targeting_type: field(typeKind, { required: true, createOnly: true }),
  targeting_value: field(valueKind, { required: true, createOnly: true, hidden: true }),
  operator_type: oneOf(CRITERION_OPERATORS, { initial: 'EQ', createOnly: true, hidden: true }),
  value_id: long({ readOnly: true, hidden: true }),
}

export const criterionReads = {
  record_name: reads(textKind(), 'coalesce(u.username, c.name, a.name, p.name)', { hidden: true }),
}

type F = typeof criterionFields
type R = typeof criterionReads
export type Criterion = RecordOf<F, R>
export type CriterionDraft = DraftOf<F>
export type CriterionContext = WriteContext<F, R>
export type CriterionChange = DraftChange<F, R>

/** Type, value and operator of a criterion, which may not belong to a line item yet. */
export type CriterionFacts = Pick<CriterionDraft, 'targeting_type' | 'targeting_value' | 'operator_type'>

import type { AdsEntity, Loose, WriteContext } from './entity.ts'
import {
  flagKind,
  idKind,
  type Kind,
  listKind,
  longKind,
  microsKind,
  oneOfKind,
  textKind,
  timeKind,
  wholeKind,
} from './values.ts'

/** A rule about a whole record, and how a refusal says it. */
type When = [holds: (draft: Loose, context: WriteContext) => boolean, says: string]

interface FieldOptions<T> {
  required?: boolean
  /** Can be given when the record is made and never changed. */
  createOnly?: boolean
  /** Can be given on an update alone. */
  updateOnly?: boolean
  /** Never given by a client: set by `initial` and `derive`. */
  readOnly?: boolean
  /** Kept, but no member of replies. */
  hidden?: boolean
  /** Always has a value. */
  always?: boolean
  /** Value of a new record that was not given one. */
  initial?: T | ((draft: Loose, context: WriteContext) => T | null | undefined)
  /** Words that a client may send, where records can have more. */
  reads?: Kind<T>
  /** Words that an update may use, where they are fewer. */
  onUpdate?: Kind<T>
  /** Must have a value when this holds. */
  requiredWhen?: When
  /** May be given only when this holds. */
  onlyWhen?: When
}

/** A member of a record: how it is read, kept and shown, and the rules about it. */
export interface Field<T> extends FieldOptions<T> {
  kind: Kind<T>
  /** The records it may name. */
  refersTo?: () => AdsEntity
}

// biome-ignore lint/suspicious/noExplicitAny: fields of every type stand in one table.
export type Fields = Record<string, Field<any>>

/** A field of any kind. */
export const field = <T>(kind: Kind<T>, options: FieldOptions<T> = {}): Field<T> => ({ kind, ...options })

export const text = (options: FieldOptions<string> & Parameters<typeof textKind>[0] = {}): Field<string> =>
  field(textKind(options), options)

export const oneOf = <const W extends string>(values: readonly W[], options: FieldOptions<NoInfer<W>> = {}): Field<W> =>
  field(oneOfKind(values), options)

export const listOf = <T>(
  item: Kind<T>,
  options: FieldOptions<T[]> & { min?: number; max?: number } = {},
): Field<T[]> => field(listKind(item, options), options)

export const whole = (
  options: FieldOptions<number> & { min?: number; max?: number; among?: readonly number[] } = {},
): Field<number> => field(wholeKind(options), options)

/** Millionths of the currency unit. */
export const micros = (options: FieldOptions<number> & { min?: number } = {}): Field<number> =>
  field(microsKind(options), options)

export const flag = (options: FieldOptions<boolean> = {}): Field<boolean> => field(flagKind, options)

export const time = (options: FieldOptions<Date> = {}): Field<Date> => field(timeKind, options)

/** A 64-bit id of a user or post. */
export const long = (options: FieldOptions<string> = {}): Field<string> => field(longKind, options)

/** The id of another record of the same account; one that is not there is refused with that record's own code. */
export const reference = (refersTo: () => AdsEntity, options: FieldOptions<string> = {}): Field<string> => ({
  ...field(idKind, options),
  refersTo,
})

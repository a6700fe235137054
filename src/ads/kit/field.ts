import type { AdsEntity, Field, FieldOptions, Filter, Read } from './entity.ts'
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

/** True when options say that a member always has a value. */
type IsSet<O> = O extends { required: true } | { always: true }
  ? true
  : O extends { initial: infer I }
    ? I extends (...context: never[]) => unknown
      ? false
      : true
    : false

/** A field of any kind. */
export const field = <T, const O extends FieldOptions<T>>(kind: Kind<T>, options?: O): Field<T, IsSet<O>> => ({
  kind,
  ...options,
})

type TextOptions = FieldOptions<string> & NonNullable<Parameters<typeof textKind>[0]>
export const text = <const O extends TextOptions>(options?: O): Field<string, IsSet<O>> =>
  field(textKind(options), options)

export const oneOf = <const W extends string, const O extends FieldOptions<NoInfer<W>>>(
  values: readonly W[],
  options?: O,
): Field<W, IsSet<O>> => field<W, O>(oneOfKind(values), options)

export const listOf = <T, const O extends FieldOptions<T[]> & { min?: number; max?: number }>(
  item: Kind<T>,
  options?: O,
): Field<T[], IsSet<O>> => field<T[], O>(listKind(item, options), options)

type WholeOptions = FieldOptions<number> & { min?: number; max?: number; among?: readonly number[] }
export const whole = <const O extends WholeOptions>(options?: O): Field<number, IsSet<O>> =>
  field(wholeKind(options), options)

/** Millionths of the currency unit. */
export const micros = <const O extends FieldOptions<number> & { min?: number }>(options?: O): Field<number, IsSet<O>> =>
  field(microsKind(options), options)

export const flag = <const O extends FieldOptions<boolean>>(options?: O): Field<boolean, IsSet<O>> =>
  field(flagKind, options)

export const time = <const O extends FieldOptions<Date>>(options?: O): Field<Date, IsSet<O>> => field(timeKind, options)

/** A 64-bit id of a user or post. */
export const long = <const O extends FieldOptions<string>>(options?: O): Field<string, IsSet<O>> =>
  field(longKind, options)

/** The id of another record of the same account. A missing record is refused with the code of its kind. */
export const reference = <E extends AdsEntity, const O extends FieldOptions<string>>(
  refersTo: () => E,
  options?: O,
): Field<string, IsSet<O>> & { refersTo: () => E } => ({ ...field<string, O>(idKind, options), refersTo })

/** A column that is read from elsewhere. */
export const reads = <T, const O extends { hidden?: boolean; always?: boolean }>(
  kind: Kind<T>,
  sql: string,
  options?: O,
): Read<T, O extends { always: true } ? true : false> => ({ kind, sql, ...options })

/** A list parameter that narrows a list. */
export const filter = (
  kind: Kind<unknown>,
  sql: (placeholder: string) => string,
  options: { required?: boolean } = {},
): Filter => ({ kind, sql, ...options })

/** A filter by a list of ids. */
export const idsFilter = (column: string): Filter =>
  filter(listKind(idKind), (placeholder) => `${column} = any(${placeholder}::bigint[])`)

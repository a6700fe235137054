import type { Naming } from '../naming/naming.ts'
import type { Fault } from '../writing/problems.ts'
import { hasFixedName, type Static, type TSchema, Type, words } from './schema.ts'

/** The query of a request: names as sent, each with its values in order. */
export type QueryValues = ReadonlyMap<string, string[]>

/** How one query parameter is documented. */
export interface ParameterDescription {
  name: string
  required: boolean
  schema: TSchema
}

/** Reads one argument from the query. If it is not valid, it adds a fault and returns undefined. */
export type ParameterReader<T> = (query: QueryValues, faults: Fault[]) => T

/** A declared argument of an operation. Most read one query parameter; a selection reads several. */
export interface Parameter<T> {
  describe(name: string): ParameterDescription[]
  compile(name: string, naming: Naming): ParameterReader<T>
  /** Of a selection: the kind of object that the operation answers with. */
  kindOfObject?(): string
}

type Parse<T> = (text: string, name: string, faults: Fault[]) => T | undefined

interface Options<T> {
  required?: boolean
  initial?: T
}

function single<T>(schema: TSchema, parse: Parse<T>, options: Options<T>): Parameter<T> {
  return {
    describe: (name) => [{ name, required: options.required === true, schema }],
    compile: (name, naming) => {
      const spelled = naming.rename(name)
      return (query, faults) => {
        const texts = query.get(spelled)
        if (texts === undefined) {
          if (options.required) faults.push(missing(spelled))
          return options.initial as T
        }
        if (texts.length > 1) {
          faults.push({
            parameters: { [spelled]: texts },
            message: `The \`${spelled}\` query parameter can only be given once`,
          })
          return options.initial as T
        }
        return parse(texts[0]!, spelled, faults) as T
      }
    },
  }
}

const missing = (name: string): Fault => ({
  parameters: { [name]: [] },
  message: `The \`${name}\` query parameter can not be empty`,
})

const fault = (name: string, text: string, message: string): Fault => ({ parameters: { [name]: [text] }, message })

const patterns = new Map<string, RegExp>()

function patternOf(text: string): RegExp {
  const pattern = patterns.get(text) ?? new RegExp(text, 'u')
  patterns.set(text, pattern)
  return pattern
}

// Of texts whose schema leaves it open. The platform's longest query parameter has as many.
const LONGEST_TEXT = 4_096

/** Why a text does not fit a string schema, or undefined when it does. */
export function misfit(schema: TSchema, name: string, text: string): string | undefined {
  const about = `The \`${name}\` query parameter value [${text}]`
  if (schema.enum && !(schema.enum as string[]).includes(text))
    return `${about} is not one of [${(schema.enum as string[]).join(',')}]`
  if (schema.pattern === '^[0-9]{1,19}$' && !/^[0-9]{1,19}$/.test(text)) return `${about} is not valid`
  if (schema.pattern && !patternOf(schema.pattern as string).test(text))
    return `${about} does not match ${schema.pattern}`
  const length = [...text].length
  const [least, most] = [schema.minLength ?? 0, schema.maxLength ?? LONGEST_TEXT]
  if (length < least || length > most)
    return `The length of the \`${name}\` query parameter value [${length}] is not between ${least} and ${most}`
  return undefined
}

/** A fast check that accepts most valid texts; `misfit` decides about the others and says what is wrong. */
function quickFit(schema: TSchema): (text: string) => boolean {
  if (schema.enum) {
    const allowed = new Set(schema.enum as string[])
    return (text) => allowed.has(text)
  }
  if (schema.pattern === '^[0-9]{1,19}$') return isDecimal
  return () => false
}

function isDecimal(text: string): boolean {
  if (text.length === 0 || text.length > 19) return false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign < 48 || sign > 57) return false
  }
  return true
}

/** A text that fits a string schema. */
export function textParameter<S extends TSchema>(schema: S, options: { required: true }): Parameter<Static<S>>
export function textParameter<S extends TSchema>(
  schema: S,
  options?: { initial?: Static<S> },
): Parameter<Static<S> | undefined>
export function textParameter<S extends TSchema>(
  schema: S,
  options: Options<Static<S>> = {},
): Parameter<Static<S> | undefined> {
  return single<Static<S> | undefined>(
    schema,
    (text, name, faults) => {
      const why = text === '' ? `The \`${name}\` query parameter can not be empty` : misfit(schema, name, text)
      if (why === undefined) return text as Static<S>
      faults.push(fault(name, text, why))
      return undefined
    },
    options,
  )
}

/** A whole number within bounds. */
export function wholeNumber(bounds: { min: number; max: number }, options: { initial: number }): Parameter<number>
export function wholeNumber(
  bounds: { min: number; max: number },
  options?: Options<number>,
): Parameter<number | undefined>
export function wholeNumber(
  bounds: { min: number; max: number },
  options: Options<number> = {},
): Parameter<number | undefined> {
  const schema = Type.Integer({
    format: 'int32',
    minimum: bounds.min,
    maximum: bounds.max,
    ...(options.initial === undefined ? {} : { default: options.initial }),
  })
  return single<number | undefined>(
    schema,
    (text, name, faults) => {
      if (!/^-?\d{1,15}$/.test(text)) {
        faults.push(fault(name, text, `The \`${name}\` query parameter value [${text}] is not a valid integer`))
        return undefined
      }
      const number = Number(text)
      if (number >= bounds.min && number <= bounds.max) return number
      faults.push(
        fault(
          name,
          text,
          `The \`${name}\` query parameter value [${text}] is not between ${bounds.min} and ${bounds.max}`,
        ),
      )
      return undefined
    },
    options,
  )
}

/** `true` or `false`, which must be given. */
export function booleanParameter(): Parameter<boolean> {
  return single<boolean>(
    Type.Boolean(),
    (text, name, faults) => {
      if (text === 'true' || text === 'false') return text === 'true'
      faults.push(fault(name, text, `The \`${name}\` query parameter value [${text}] is not one of [true,false]`))
      return undefined
    },
    { required: true },
  )
}

/** A comma-separated list. */
export function csv<S extends TSchema>(
  item: S,
  options: { min?: number; max?: number; required?: boolean; unique?: boolean } = {},
): Parameter<Static<S>[]> {
  const min = options.min ?? 1
  const max = options.max ?? Infinity
  const schema = Type.Array(item, {
    minItems: min,
    ...(max === Infinity ? {} : { maxItems: max }),
    ...(options.unique ? { uniqueItems: true } : {}),
  })
  return {
    describe: (name) => [{ name, required: options.required !== false, schema }],
    compile: (name, naming) => {
      const spelled = naming.rename(name)
      const isRenamed = item.enum !== undefined && !hasFixedName(item)
      const renamedItem = isRenamed
        ? ({ ...item, enum: (item.enum as string[]).map((value) => naming.rename(value)) } as TSchema)
        : item
      const fits = quickFit(renamedItem)
      return (query, faults) => {
        const texts = query.get(spelled)
        if (texts === undefined) {
          if (options.required !== false) faults.push(missing(spelled))
          return []
        }
        const raw = texts.join(',')
        if (raw === '') {
          faults.push(missing(spelled))
          return []
        }
        const values = isRenamed ? raw.split(',').map((value) => naming.rename(value)) : raw.split(',')
        if (values.length < min || values.length > max) {
          faults.push(
            fault(
              spelled,
              raw,
              `The number of values in the \`${spelled}\` query parameter list [${values.length}] is not between ${min} and ${max}`,
            ),
          )
          return []
        }
        const repeated = options.unique ? values.find((value, index) => values.indexOf(value) !== index) : undefined
        if (repeated !== undefined) {
          faults.push(
            fault(spelled, raw, `The \`${spelled}\` query parameter value [${repeated}] is given more than once`),
          )
          return []
        }
        for (const value of values) {
          if (fits(value)) continue
          const why = misfit(renamedItem, spelled, value)
          if (why === undefined) continue
          faults.push(fault(spelled, raw, why))
          return []
        }
        return (isRenamed ? values.map((value) => naming.restore(value)) : values) as Static<S>[]
      }
    },
  }
}

/** One of some words of the interface. */
export function wordParameter<const T extends string>(
  values: readonly T[],
  { required }: { required: boolean },
): Parameter<T | undefined> {
  const schema = words(values)
  return {
    describe: (name) => [{ name, required, schema }],
    compile: (name, naming) => {
      const read = csv(schema, { max: 1, required }).compile(name, naming)
      return (query, faults) => read(query, faults)[0]
    },
  }
}

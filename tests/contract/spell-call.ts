import type { Operation } from '../../src/api-kit/declaring/operation.ts'
import { hasFixedName } from '../../src/api-kit/declaring/schema.ts'
import type { Naming } from '../../src/api-kit/naming/naming.ts'
import { compileWriter } from '../../src/api-kit/writing/writer.ts'
import type { Call } from './examples/example.ts'

/** A request as a client of one naming sends it. */
export interface SpelledCall {
  method: string
  path: string
  json: unknown
}

const described = (operation: Operation) =>
  Object.entries(operation.query).flatMap(([name, parameter]) => parameter.describe(name))

/** Names of the query parameters of an operation in a naming. */
export const parameterNames = (operation: Operation, naming: Naming): string[] =>
  described(operation).map((item) => naming.rename(item.name))

/** The address of an operation with its path filled in; a part that is not given becomes 1. */
export function addressOf(operation: Operation, naming: Naming, values: Record<string, string> = {}): string {
  const filled = operation.path.replace(/\{([^}]+)\}/g, (_whole, name: string) => `{${name}}`)
  const names = Object.keys(operation.pathSchemas)
  return naming.rename(filled).replace(/\{([^}]+)\}/g, (_whole, spelled: string) => {
    const name = names.find((item) => naming.rename(item) === spelled)
    return encodeURIComponent((name && values[name]) ?? '1')
  })
}

/** Spells an example in a naming and asks for every field and expansion that there is. */
export function spellCall(operation: Operation, naming: Naming, call: Call): SpelledCall {
  const query = new URLSearchParams()
  for (const { name, schema } of described(operation)) {
    const words = schema.items?.enum as string[] | undefined
    if (call.query?.[name] !== undefined) query.set(naming.rename(name), call.query[name])
    else if (words) {
      const asked = words.filter((word) => !call.without?.[name]?.includes(word))
      const isFixed = schema.items !== undefined && hasFixedName(schema.items)
      query.set(naming.rename(name), (isFixed ? asked : asked.map(naming.rename)).join())
    }
  }
  const text = query.size === 0 ? '' : `?${query}`
  return {
    method: operation.method,
    path: addressOf(operation, naming, call.path) + text,
    json:
      operation.body && call.body ? JSON.parse(compileWriter(operation.body, naming)(call.body as never)) : undefined,
  }
}

/** True when nothing in the request shows which naming it is in. */
export function isSilent(operation: Operation, naming: Naming, neutral: Naming, call: Call): boolean {
  return JSON.stringify(spellCall(operation, naming, call)) === JSON.stringify(spellCall(operation, neutral, call))
}

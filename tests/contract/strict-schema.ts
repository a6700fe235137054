import { Ajv, type ValidateFunction } from 'ajv'
import type { TSchema } from '../../src/api-kit/declaring/schema.ts'
import type { Naming } from '../../src/api-kit/naming/naming.ts'
import { renameSchema } from '../../src/api-kit/naming/rename-schema.ts'
import { QUICK_TO_COMPILE } from '../support/quick-to-compile.ts'

const ajv = new Ajv({ strict: false, allErrors: true, ...QUICK_TO_COMPILE })
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
ajv.addFormat('uri', { type: 'string', validate: (text: string) => URL.canParse(text) })
ajv.addFormat('int32', { type: 'number', validate: (number: number) => number === (number | 0) })
ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger })
ajv.addFormat('double', { type: 'number', validate: Number.isFinite })

/** Checks an answer of a naming against its declared schema, and refuses members that the schema does not name. */
export const compileStrict = (schema: TSchema, naming: Naming): ValidateFunction =>
  ajv.compile(strict(renameSchema(schema, naming), naming.id))

// The types of problem add members of their own to the common ones.
const isOpen = (schema: TSchema) => schema['x-component'] === 'Problem'

// A component is compiled once for each naming, however many replies hold it.
function strict(schema: TSchema, spelling: string): TSchema {
  const name = schema['x-component'] as string | undefined
  if (name === undefined) return closed(schema, spelling)
  const id = `${spelling}-${name}`
  if (!known.has(id)) {
    known.add(id)
    ajv.addSchema(closed(schema, spelling), id)
  }
  return { $ref: id } as unknown as TSchema
}

const known = new Set<string>()

function closed(schema: TSchema, spelling: string): TSchema {
  const copy: Record<string, unknown> = { ...schema }
  const properties = Object.entries((schema.properties ?? {}) as Record<string, TSchema>)
  if (properties.length > 0) {
    copy.properties = Object.fromEntries(properties.map(([name, member]) => [name, strict(member, spelling)]))
    if (!isOpen(schema)) copy.additionalProperties = false
  }
  if (schema.items) copy.items = strict(schema.items as TSchema, spelling)
  for (const key of ['anyOf', 'oneOf'] as const)
    if (Array.isArray(schema[key])) copy[key] = (schema[key] as TSchema[]).map((item) => strict(item, spelling))
  if (Array.isArray(schema.allOf)) {
    // Each part by itself would refuse the members of the others.
    const parts = schema.allOf as TSchema[]
    const joined = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, TSchema>
    delete copy.allOf
    return closed(
      {
        ...copy,
        type: 'object',
        properties: { ...joined, ...(schema.properties as object) },
        required: [...parts, schema].flatMap((part) => (part.required ?? []) as string[]),
      } as unknown as TSchema,
      spelling,
    )
  }
  return copy as unknown as TSchema
}

import type { TSchema } from '../../api-kit/declaring/schema.ts'
import { WorldSchema } from './world.schema.ts'

/** The JSON Schema of world files, for editors. It is also a file of the package. */
export const worldJsonSchema = (): Record<string, unknown> => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'A world file of Rostra',
  ...plain(WorldSchema),
})

function plain(schema: TSchema): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    if (name.startsWith('x-')) continue
    if (name === 'properties')
      copy[name] = Object.fromEntries(
        Object.entries(value as Record<string, TSchema>).map(([key, item]) => [key, plain(item)]),
      )
    else if (name === 'items') copy[name] = plain(value as TSchema)
    else if (name === 'anyOf') copy[name] = (value as TSchema[]).map(plain)
    // Ids, passwords and names need no quotes.
    else if (name === 'type' && value === 'string' && !schema.enum) copy[name] = ['string', 'number']
    else copy[name] = value
  }
  return copy
}

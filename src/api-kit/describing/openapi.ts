import { defineEndpoint, type Endpoint, withHead } from '../declaring/endpoint.ts'
import { componentName, type TSchema } from '../declaring/schema.ts'
import type { Family } from '../family.ts'
import { type Naming, neutral } from '../naming/naming.ts'
import { renameSchema } from '../naming/rename-schema.ts'
import { readOwnQuery, readWord } from '../reading/request-query.ts'
import type { ServeOptions } from '../serving/serve-request.ts'
import { jsonAnswer } from '../writing/answer.ts'

type Json = Record<string, unknown>

/** What a document has at every address of the server. */
type FamilyDescription = Json & { components: { schemas: Json } }

/** Describes a family as an OpenAPI document, in one naming. */
function describeFamily(family: Family, naming: Naming): FamilyDescription {
  const { document } = family
  const components = new Map<string, Json>()
  const schema = (source: TSchema) => hoist(renameSchema(source, naming), components)
  const paths: Record<string, Json> = {}
  for (const operation of family.operations) {
    const path = naming.rename(operation.path)
    paths[path] ??= {}
    paths[path][operation.method.toLowerCase()] = document.operation(operation, naming, schema)
  }
  return {
    openapi: '3.0.0',
    info: { title: document.title, version: family.version },
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([left], [right]) => (left < right ? -1 : 1))),
    },
  }
}

/** The names of the values in a path. */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{([^}]+)\}/g)].map((hit) => hit[1]!)

/** Moves named schemas to the components and leaves references. */
function hoist(schema: TSchema, components: Map<string, Json>): Json {
  const name = componentName(schema)
  if (name === undefined) return hoistMembers(schema, components)
  if (!components.has(name)) {
    // Reserved before its members are visited: schemas may refer to themselves.
    components.set(name, {})
    components.set(name, hoistMembers(schema, components))
  }
  return { $ref: `#/components/schemas/${name}` }
}

function hoistMembers(schema: TSchema, components: Map<string, Json>): Json {
  const plain: Json = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('x-')) continue
    if (key === 'properties') {
      plain.properties = Object.fromEntries(
        Object.entries(value as Record<string, TSchema>).map(([name, member]) => [name, hoist(member, components)]),
      )
    } else if (key === 'items') plain.items = hoist(value as TSchema, components)
    else if (key === 'allOf' || key === 'anyOf' || key === 'oneOf')
      plain[key] = (value as TSchema[]).map((part) => hoist(part, components))
    else plain[key] = value
  }
  return plain
}

/** Serves a family's document: neutral, or legacy with `?naming=legacy`, at a host name of the platform, or where that is the default. Each is made once. */
export function openApiEndpoint(family: Family, { defaultNaming }: Pick<ServeOptions, 'defaultNaming'>): Endpoint {
  const { id, route } = family.document.endpoint
  const made = new Map<string, FamilyDescription>()
  return withHead(
    defineEndpoint(id, route, async (request) => {
      const asked = readWord(readOwnQuery(request.rawQuery, ['naming']), 'naming', ['neutral', 'legacy'])
      const isLegacy =
        asked === 'legacy' || (asked === undefined && (request.isPlatformHost || defaultNaming === 'legacy'))
      const naming = isLegacy ? family.legacy : neutral
      const document = made.get(naming.id) ?? describeFamily(family, naming)
      made.set(naming.id, document)
      const { servers, security, securitySchemes, schemas } = family.document.frame(naming, request.baseUrl)
      return jsonAnswer({
        ...document,
        servers,
        ...(security ? { security } : {}),
        components: { schemas: withMembers(document.components.schemas, schemas), securitySchemes },
      })
    }),
  )
}

/** Schemas with the members of others that have the same names, and with the others. */
function withMembers(schemas: Json, added: Json = {}): Json {
  const all: Json = { ...schemas }
  for (const [name, schema] of Object.entries(added)) all[name] = { ...(all[name] as Json), ...(schema as Json) }
  return all
}

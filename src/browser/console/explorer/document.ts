import { get } from '../kit/client.ts'
import { mount } from '../kit/router.ts'

/** A JSON schema, as far as forms need it. */
export interface Schema {
  $ref?: string
  type?: string
  enum?: string[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  allOf?: Schema[]
  oneOf?: Schema[]
  anyOf?: Schema[]
  default?: unknown
  minimum?: number
  maximum?: number
  format?: string
  pattern?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: Schema
}

/** An operation, as its document describes it. */
export interface Described {
  id: string
  method: string
  path: string
  summary: string
  tag: string
  parameters: Parameter[]
  body: Schema | undefined
  /** The kinds of credentials that it takes. */
  credentials: Credential[]
}

export type Credential = 'user' | 'oauth1' | 'app' | 'none'

export interface ApiDocument {
  operations: Described[]
  /** Paths before those of the operations. */
  servers: string[]
  schemas: Record<string, Schema>
}

interface RawOperation {
  operationId: string
  summary?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  security?: Record<string, unknown>[]
}
interface RawDocument {
  servers: { url: string }[]
  paths: Record<string, Record<string, RawOperation>>
  components: { schemas: Record<string, Schema> }
  security?: Record<string, unknown>[]
}

export const DOCUMENTS = { v2: '/2/openapi.json', ads: '/ads/openapi.json' } as const
export type DocumentName = keyof typeof DOCUMENTS

const KINDS: Record<string, Credential> = { OAuth2UserToken: 'user', UserToken: 'oauth1', BearerToken: 'app' }
const ORDER: Credential[] = ['user', 'oauth1', 'app', 'none']

const made = new Map<string, Promise<ApiDocument>>()

/** Reads a document in one of the namings. */
export function readDocument(name: DocumentName, naming: string): Promise<ApiDocument> {
  const key = `${name} ${naming}`
  const known = made.get(key)
  if (known) return known
  const reading = get<RawDocument>(DOCUMENTS[name], { naming }).then(readRaw)
  made.set(key, reading)
  reading.catch(() => made.delete(key))
  return reading
}

function readRaw(raw: RawDocument): ApiDocument {
  const operations = Object.entries(raw.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(method.toUpperCase(), path, operation, raw.security)),
  )
  return {
    operations,
    servers: raw.servers.map(({ url }) => new URL(url, location.href).pathname.replace(/\/$/, '').slice(mount.length)),
    schemas: raw.components.schemas,
  }
}

function describe(method: string, path: string, raw: RawOperation, general: RawDocument['security']): Described {
  const kinds = new Set(
    (raw.security ?? general ?? []).flatMap((item) => Object.keys(item).flatMap((key) => KINDS[key] ?? [])),
  )
  return {
    id: raw.operationId,
    method,
    path,
    summary: raw.summary ?? '',
    tag: raw.tags?.[0] ?? 'Other',
    parameters: raw.parameters ?? [],
    body: raw.requestBody?.content['application/json']?.schema,
    credentials: kinds.size === 0 ? ['none'] : ORDER.filter((kind) => kinds.has(kind)),
  }
}

const DEEPEST = 5

/** A schema without references at its top, its parts joined. */
export function resolve(document: ApiDocument, schema: Schema, depth = 0): Schema {
  if (depth > DEEPEST) return {}
  if (schema.$ref) return resolve(document, document.schemas[schema.$ref.split('/').at(-1)!] ?? {}, depth + 1)
  if (!schema.allOf) return schema
  const parts = [schema, ...schema.allOf.map((part) => resolve(document, part, depth + 1))]
  return {
    ...Object.assign({}, ...parts),
    allOf: undefined,
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: parts.flatMap((part) => part.required ?? []),
  }
}

/** The words of a document in another naming: segments of paths of the same operation that differ. */
export function renamedWords(from: ApiDocument, to: ApiDocument): [RegExp, string][] {
  const others = new Map(to.operations.map((operation) => [operation.id, operation.path.split('/')]))
  const words = new Map<string, string>()
  for (const { id, path } of from.operations)
    for (const [index, segment] of path.split('/').entries()) {
      const other = others.get(id)?.[index]
      if (other !== undefined && other !== segment && /^[a-z]+s$/.test(segment) && /^[a-z]+s$/.test(other))
        words.set(segment.slice(0, -1), other.slice(0, -1))
    }
  // Longer ones first: one word may contain another.
  return [...words]
    .sort(([left], [right]) => right.length - left.length)
    .map(([word, other]) => [new RegExp(word, 'g'), other])
}

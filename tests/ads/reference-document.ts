import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { TSchema } from '../../src/api-kit/declaring/schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document whose shape is not ours.
type Json = any

/** The reference of the advertising interface. */
export const reference: Json = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../reference/ads.openapi.json'), 'utf8'),
)

/** An operation as the reference describes it. */
export interface ReferenceOperation {
  id: string
  method: string
  path: string
  tag: string
  /** Query parameters. */
  parameters: { name: string; required: boolean; schema: TSchema }[]
  /** Members of one record of `data`, where it is described. */
  members: string[] | undefined
}

const resolve = (item: Json): Json =>
  item?.$ref
    ? resolve(
        item.$ref
          .slice(2)
          .split('/')
          .reduce((at: Json, key: string) => at[key], reference),
      )
    : item

const replyOf = (operation: Json): Json => operation.responses['200']?.content?.['application/json']?.schema

/** The operations of the reference by their ids. */
export function referenceOperations(): Map<string, ReferenceOperation> {
  const found = new Map<string, ReferenceOperation>()
  for (const [route, methods] of Object.entries(reference.paths as Record<string, Json>))
    for (const [method, operation] of Object.entries(methods as Record<string, Json>)) {
      if (!operation.operationId) continue
      const parameters = (operation.parameters ?? []).map(resolve).filter((item: Json) => item.in === 'query')
      found.set(operation.operationId, {
        id: operation.operationId,
        method: method.toUpperCase(),
        path: route,
        tag: operation.tags[0],
        parameters: parameters.map((item: Json) => ({
          name: item.name,
          required: item.required === true,
          schema: resolve(item.schema),
        })),
        members: membersOf(operation),
      })
    }
  return found
}

function membersOf(operation: Json): string[] | undefined {
  const data = resolve(resolve(replyOf(operation))?.properties?.data)
  const record = resolve(data?.items ?? data)
  return record?.properties ? Object.keys(record.properties) : undefined
}

/** The reference's schema of an operation's reply, inside the document that was added as `ads`. */
export function schemaFor(id: string): Json {
  for (const [route, methods] of Object.entries(reference.paths as Record<string, Json>))
    for (const [method, operation] of Object.entries(methods as Record<string, Json>))
      if (operation.operationId === id) {
        const pointer = ['paths', route, method, 'responses', '200', 'content', 'application/json', 'schema']
        return {
          $ref: `ads#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`,
        }
      }
  throw new Error(`The reference has no ${id}`)
}

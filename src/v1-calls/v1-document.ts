import { component, type TSchema, Type } from '../api-kit/declaring/schema.ts'
import { pathNames } from '../api-kit/describing/openapi.ts'
import type { FamilyDocument } from '../api-kit/family.ts'
import type { Naming } from '../api-kit/naming/naming.ts'
import type { V1Operation } from './v1-operation.ts'

const CodedErrors = component(
  'CodedErrors',
  Type.Object({ errors: Type.Array(Type.Object({ code: Type.Integer(), message: Type.String() }), { minItems: 1 }) }),
)

/** The OpenAPI document of version 1.1. */
export const v1Document: FamilyDocument<V1Operation> = {
  endpoint: { id: 'getV1OpenApiSpec', route: 'GET /1.1/openapi.json' },
  title: 'Rostra, version 1.1',
  frame: (_naming, baseUrl) => ({
    servers: [{ url: baseUrl }],
    securitySchemes: {
      BearerToken: { type: 'http', scheme: 'bearer' },
      UserToken: { type: 'http', scheme: 'OAuth' },
    },
  }),
  operation: describeOperation,
}

function describeOperation(operation: V1Operation, naming: Naming, schema: (source: TSchema) => object): object {
  const inPath = pathNames(operation.path)
  const isRead = operation.method === 'GET'
  const members = Object.entries(operation.params).filter(([name]) => !inPath.includes(name))
  const content = (source: TSchema) => ({ 'application/json': { schema: schema(source) } })
  const form = { schema: { type: 'object', properties: Object.fromEntries(members.map(describeMember)) } }
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [naming.rename(operation.tag)],
    security: [...(operation.auth.app ? [{ BearerToken: [] }] : []), { UserToken: [] }],
    parameters: [
      ...inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...(isRead
        ? members.map(([name, description]) => ({ name, in: 'query', description, schema: { type: 'string' } }))
        : []),
    ],
    ...(isRead
      ? {}
      : { requestBody: { content: { [operation.bodyAsForm ? 'multipart/form-data' : 'application/json']: form } } }),
    responses: {
      '2XX': { description: 'The request has succeeded.', ...(isRead ? { content: content(Type.Object({})) } : {}) },
      default: { description: 'The request has failed.', content: content(CodedErrors) },
    },
  }
}

const describeMember = ([name, description]: [string, string]) => [name, { type: 'string', description }] as const

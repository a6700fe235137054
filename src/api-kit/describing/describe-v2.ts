import type { Operation } from '../declaring/operation.ts'
import { ProblemSchema } from '../declaring/reply.ts'
import { component, type TSchema, Type } from '../declaring/schema.ts'
import type { FamilyDocument } from '../family.ts'
import type { Naming } from '../naming/naming.ts'
import { describeProblemTypes } from './problem-types.ts'

const ErrorSchema = component('Error', Type.Object({ code: Type.Integer({ format: 'int32' }), message: Type.String() }))

const CodedErrors = component('CodedErrors', Type.Object({ errors: Type.Array(ErrorSchema, { minItems: 1 }) }))

/** The OpenAPI document of version 2. */
export const describeV2 = (scopes: ReadonlySet<string>): FamilyDocument<Operation> => ({
  endpoint: { id: 'getOpenApiSpec', route: 'GET /2/openapi.json' },
  title: 'Rostra',
  frame: (naming, baseUrl) => ({
    servers: [{ url: baseUrl }],
    schemas: describeProblems(naming, baseUrl),
    securitySchemes: {
      BearerToken: { type: 'http', scheme: 'bearer' },
      OAuth2UserToken: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: `${baseUrl}/2/oauth2/authorize`,
            tokenUrl: `${baseUrl}/2/oauth2/token`,
            scopes: Object.fromEntries([...scopes].map((scope) => [naming.rename(scope), ''])),
          },
        },
      },
      UserToken: { type: 'http', scheme: 'OAuth' },
    },
  }),
  operation: describeOperation,
})

/** The type of a problem is an address, so which members it has depends on the address of the server. */
function describeProblems(naming: Naming, baseUrl: string): Record<string, object> {
  const { schemas, discriminator } = describeProblemTypes(naming, baseUrl)
  return { ...schemas, Problem: { discriminator } }
}

function describeOperation(operation: Operation, naming: Naming, schema: (source: TSchema) => object): object {
  const query = Object.entries(operation.query).flatMap(([name, parameter]) => parameter.describe(name))
  const content = (source: TSchema) => ({ 'application/json': { schema: schema(source) } })
  const success = operation.bytes
    ? { 'application/octet-stream': { schema: schema(operation.reply) } }
    : content(operation.reply)
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [naming.rename(operation.tag)],
    ...(operation.auth === 'none' ? {} : { security: describeSecurity(operation.auth, naming) }),
    parameters: [
      ...Object.entries(operation.pathSchemas).map(([name, source]) => ({
        name: naming.rename(name),
        in: 'path',
        required: true,
        schema: schema(source),
        style: 'simple',
      })),
      ...query.map((item) => ({
        name: naming.rename(item.name),
        in: 'query',
        required: item.required,
        schema: schema(item.schema),
        ...(item.schema.type === 'array' ? { explode: false } : {}),
        style: 'form',
      })),
    ],
    ...(operation.deprecated ? { deprecated: true } : {}),
    ...(operation.streaming ? { 'x-streaming': true } : {}),
    ...(operation.body
      ? {
          requestBody: {
            required: !operation.bodyOptional,
            content: {
              ...content(operation.body),
              ...(operation.bodyAsForm ? { 'multipart/form-data': { schema: schema(operation.body) } } : {}),
            },
          },
        }
      : {}),
    responses: {
      [operation.status]: { description: 'The request has succeeded.', content: success },
      ...(operation.otherStatus === undefined
        ? {}
        : { [operation.otherStatus]: { description: 'The request was read.', content: content(operation.reply) } }),
      ...(operation.auth === 'none'
        ? {}
        : {
            401: {
              description: 'The credentials are missing or wrong. An invalid or expired token has a code.',
              content: { ...content(CodedErrors), 'application/problem+json': { schema: schema(ProblemSchema) } },
            },
          }),
      default: {
        description: 'The request has failed.',
        content: { ...content(ErrorSchema), 'application/problem+json': { schema: schema(ProblemSchema) } },
      },
    },
  }
}

function describeSecurity(auth: Exclude<Operation['auth'], 'none'>, naming: Naming): object[] {
  return [
    ...(auth.app ? [{ BearerToken: [] }] : []),
    ...(auth.oauth2 ? [{ OAuth2UserToken: auth.oauth2.map((scope) => naming.rename(scope)) }] : []),
    ...(auth.oauth1 ? [{ UserToken: [] }] : []),
  ]
}

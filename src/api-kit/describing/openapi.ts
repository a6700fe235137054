import { defineEndpoint, type Endpoint } from '../declaring/endpoint.ts'
import type { Operation } from '../declaring/operation.ts'
import { ProblemSchema } from '../declaring/reply.ts'
import { component, componentName, type TSchema, Type } from '../declaring/schema.ts'
import { type Naming, neutral } from '../naming/naming.ts'
import { renameSchema } from '../naming/rename-schema.ts'
import { readOwnQuery, readWord } from '../reading/request-query.ts'
import type { Runtime } from '../runtime.ts'
import { jsonAnswer } from '../writing/answer.ts'

type Json = Record<string, unknown>

const ErrorSchema = component('Error', Type.Object({ code: Type.Integer({ format: 'int32' }), message: Type.String() }))

/** Facts about the whole interface. */
interface InterfaceFacts {
  apiVersion: string
  legacy: Naming
  scopes: ReadonlySet<string>
  legacyHosts: ReadonlySet<string>
}

/** Describes the operations as an OpenAPI document, in one naming. */
function describeInterface(
  operations: readonly Operation[],
  naming: Naming,
  facts: InterfaceFacts,
  baseUrl: string,
): Json {
  const components = new Map<string, Json>()
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = naming.rename(operation.path)
    paths[path] ??= {}
    paths[path][operation.method.toLowerCase()] = describeOperation(operation, naming, components)
  }
  const scopes = Object.fromEntries([...facts.scopes].map((scope) => [naming.rename(scope), '']))
  return {
    openapi: '3.0.0',
    info: { title: 'Rostra', version: facts.apiVersion },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([left], [right]) => (left < right ? -1 : 1))),
      securitySchemes: {
        BearerToken: { type: 'http', scheme: 'bearer' },
        OAuth2UserToken: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${baseUrl}/2/oauth2/authorize`,
              tokenUrl: `${baseUrl}/2/oauth2/token`,
              scopes,
            },
          },
        },
        UserToken: { type: 'http', scheme: 'OAuth' },
      },
    },
  }
}

function describeOperation(operation: Operation, naming: Naming, components: Map<string, Json>): Json {
  const schema = (source: TSchema) => hoist(renameSchema(source, naming), components)
  const query = Object.entries(operation.query).flatMap(([name, parameter]) => parameter.describe(name))
  const content = (source: TSchema) => ({ 'application/json': { schema: schema(source) } })
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
      [operation.status]: { description: 'The request has succeeded.', content: content(operation.reply) },
      default: {
        description: 'The request has failed.',
        content: { ...content(ErrorSchema), 'application/problem+json': { schema: schema(ProblemSchema) } },
      },
    },
  }
}

function describeSecurity(auth: Exclude<Operation['auth'], 'none'>, naming: Naming): Json[] {
  return [
    ...(auth.app ? [{ BearerToken: [] }] : []),
    ...(auth.oauth2 ? [{ OAuth2UserToken: auth.oauth2.map((scope) => naming.rename(scope)) }] : []),
    ...(auth.oauth1 ? [{ UserToken: [] }] : []),
  ]
}

/** Moves named schemas to the components and leaves references. */
export function hoist(schema: TSchema, components: Map<string, Json>): Json {
  const name = componentName(schema)
  if (name === undefined) return hoistMembers(schema, components)
  if (!components.has(name)) {
    // Reserved before its members are walked: schemas may refer to themselves.
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

/** GET /2/openapi.json: neutral, or legacy with `?naming=legacy` or on a legacy host. */
export const openApiEndpoint = (operations: readonly Operation[], facts: InterfaceFacts): Endpoint =>
  documentEndpoint('getOpenApiSpec', 'GET /2/openapi.json', facts, (naming, runtime) =>
    describeInterface(operations, naming, facts, runtime.baseUrl),
  )

/** An endpoint that shows a description in the naming that is asked for; each is made once. */
export function documentEndpoint(
  id: string,
  route: `GET /${string}`,
  { legacy, legacyHosts }: { legacy: Naming; legacyHosts: ReadonlySet<string> },
  describe: (naming: Naming, runtime: Runtime) => Json,
): Endpoint {
  const made = new Map<string, Json>()
  return defineEndpoint(id, route, async (request, runtime) => {
    const asked = readWord(readOwnQuery(request.rawQuery, ['naming']), 'naming', ['neutral', 'legacy'])
    const isLegacyHost = legacyHosts.has(String(request.headers.host ?? '').split(':')[0]!)
    const naming = asked === 'legacy' || (asked === undefined && isLegacyHost) ? legacy : neutral
    const document = made.get(naming.id) ?? describe(naming, runtime)
    made.set(naming.id, document)
    return jsonAnswer(document)
  })
}

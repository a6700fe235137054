import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { component, nullable, type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import { documentEndpoint, hoist } from '../../api-kit/describing/openapi.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import { renameSchema } from '../../api-kit/naming/rename-schema.ts'
import { adsLegacyNaming } from '../../legacy-words.ts'
import type { AdsOperation, Param } from './operation.ts'
import { ADS_VERSION } from './serve.ts'
import { idKind } from './values.ts'

type Json = Record<string, unknown>

const Params = Type.Object({})
const Request = component('RequestEcho', Type.Object({ params: Params }))
const BatchRequest = component(
  'BatchRequestEcho',
  Type.Array(Type.Object({ params: Params, operation_type: Type.String() })),
)
const ErrorItem = component(
  'ErrorItem',
  Type.Object({
    code: Type.String(),
    message: Type.String(),
    parameter: Type.Optional(Type.String()),
    details: Type.Optional(Type.String()),
    value: Type.Optional(Type.Unknown()),
  }),
)
const ErrorResponse = component(
  'ErrorResponse',
  Type.Object({
    errors: Type.Optional(Type.Array(ErrorItem)),
    operation_errors: Type.Optional(Type.Array(Type.Array(ErrorItem))),
    request: Type.Unknown(),
  }),
)

/** Describes the advertising interface as an OpenAPI document, in one naming. */
export function describeAds(operations: readonly AdsOperation[], naming: Naming, baseUrl: string): Json {
  const components = new Map<string, Json>()
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = naming.rename(operation.path)
    paths[path] ??= {}
    paths[path][operation.method.toLowerCase()] = describeOperation(operation, naming, components)
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Rostra advertising', version: ADS_VERSION },
    servers: [{ url: `${baseUrl}/ads` }, { url: `${baseUrl}/ads-sandbox` }],
    security: [{ UserToken: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([left], [right]) => (left < right ? -1 : 1))),
      securitySchemes: { UserToken: { type: 'http', scheme: 'OAuth' } },
    },
  }
}

function describeOperation(operation: AdsOperation, naming: Naming, components: Map<string, Json>): Json {
  const schema = (source: TSchema) => hoist(renameSchema(source, naming), components)
  const content = (source: TSchema) => ({ 'application/json': { schema: schema(source) } })
  const inPath = [...operation.path.matchAll(/\{([^}]+)\}/g)].map((hit) => hit[1]!)
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.tag],
    parameters: [
      ...inPath.map((name) => ({
        name: naming.rename(name),
        in: 'path',
        required: true,
        schema: schema((operation.pathParams[name]?.kind ?? idKind).schema),
      })),
      ...Object.entries(operation.params).map(([name, param]) => ({
        name: naming.rename(name),
        in: 'query',
        required: param.required,
        schema: schema(parameterSchema(param)),
        ...(param.kind.schema.type === 'array' ? { explode: false, style: 'form' } : {}),
      })),
    ],
    ...(operation.body ? { requestBody: { required: true, content: content(operation.body) } } : {}),
    ...(operation.sandboxOnly ? { 'x-sandbox-only': true } : {}),
    ...(operation.allowlist ? { 'x-allowlist': operation.allowlist } : {}),
    ...(operation.feature ? { 'x-feature': operation.feature } : {}),
    responses: {
      200: { description: 'The request has succeeded.', content: content(replySchema(operation)) },
      default: { description: 'The request has failed.', content: content(ErrorResponse) },
    },
  }
}

const parameterSchema = (param: Param<unknown>): TSchema =>
  param.initial === undefined ? param.kind.schema : { ...param.kind.schema, default: param.kind.echo(param.initial) }

function replySchema(operation: AdsOperation): TSchema {
  const isList = operation.envelope !== 'one' && operation.envelope !== 'message'
  const item = operation.data
  const data = item && (isList && item.type !== 'array' ? Type.Array(item) : item)
  return Type.Object({
    request: operation.envelope === 'batch' ? BatchRequest : Request,
    ...(data ? { data } : {}),
    ...(operation.envelope === 'message' ? { message: Type.String() } : {}),
    ...(operation.envelope === 'list' || operation.envelope === 'counted list'
      ? { next_cursor: nullable(Type.String()), total_count: Type.Optional(Type.Integer()) }
      : {}),
  })
}

const NAMINGS = { legacy: adsLegacyNaming, legacyHosts: new Set<string>() }

/** GET /ads/openapi.json: neutral, or legacy with `?naming=legacy`. */
export const adsOpenApiEndpoint = (operations: readonly AdsOperation[]): Endpoint =>
  documentEndpoint('getAdsOpenApiSpec', 'GET /ads/openapi.json', NAMINGS, (naming, runtime) =>
    describeAds(operations, naming, runtime.baseUrl),
  )

import { component, nullable, type TSchema, Type } from '../../../api-kit/declaring/schema.ts'
import { pathNames } from '../../../api-kit/describing/openapi.ts'
import type { FamilyDocument } from '../../../api-kit/family.ts'
import type { Naming } from '../../../api-kit/naming/naming.ts'
import type { AdsOperation, Param } from '../operation.ts'
import { idKind } from '../values.ts'

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

/** The OpenAPI document of the advertising interface. */
export const adsDocument: FamilyDocument<AdsOperation> = {
  endpoint: { id: 'getAdsOpenApiSpec', route: 'GET /ads/openapi.json' },
  title: 'Rostra advertising',
  frame: (_naming, baseUrl) => ({
    servers: [{ url: `${baseUrl}/ads` }, { url: `${baseUrl}/ads-sandbox` }],
    security: [{ UserToken: [] }],
    securitySchemes: { UserToken: { type: 'http', scheme: 'OAuth' } },
  }),
  operation: describeOperation,
}

function describeOperation(operation: AdsOperation, naming: Naming, schema: (source: TSchema) => object): object {
  const content = (source: TSchema) => ({ 'application/json': { schema: schema(source) } })
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.tag],
    parameters: [
      ...pathNames(operation.path).map((name) => ({
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
  const hasPages = operation.envelope === 'list' || operation.envelope === 'counted list'
  const item = operation.data
  const data = item && (isList && item.type !== 'array' ? Type.Array(item) : item)
  return Type.Object({
    request: operation.envelope === 'batch' ? BatchRequest : Request,
    ...(operation.envelope === 'statistics'
      ? { data_type: Type.String(), time_series_length: Type.Optional(Type.Integer({ minimum: 1 })) }
      : {}),
    ...(data ? { data } : {}),
    ...(operation.envelope === 'message' ? { message: Type.String() } : {}),
    ...(hasPages ? { next_cursor: nullable(Type.String()) } : {}),
    ...(hasPages || operation.envelope === 'whole list' ? { total_count: Type.Optional(Type.Integer()) } : {}),
  })
}

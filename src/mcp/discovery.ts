import { defineEndpoint, type Endpoint } from '../api-kit/declaring/endpoint.ts'
import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { Answer } from '../api-kit/writing/answer.ts'
import { ADS_SCOPES, SCOPES } from '../identity/oauth2/scopes.ts'

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

/** The paths at which messages are answered: at the root and at both mounts of the advertising interface. */
const RESOURCES = ['/mcp', '/ads/mcp', '/ads-sandbox/mcp'] as const

/** Where a client learns who gives tokens for the address it used. */
export const resourceMetadataUrl = (request: RequestFacts, runtime: Runtime): string =>
  request.moveLinks(`${runtime.baseUrl}${RESOURCE_METADATA}${request.path}`)

const answerDocument = (request: RequestFacts, document: object): Answer =>
  new Answer(request.moveLinks(JSON.stringify(document)), { headers: { 'access-control-allow-origin': '*' } })

/** RFC 9728: the authorization server and the scopes of a resource. */
const resourceDocument = (request: RequestFacts, { baseUrl }: Runtime, path: string): Answer =>
  answerDocument(request, {
    resource: `${baseUrl}${path}`,
    authorization_servers: [baseUrl],
    scopes_supported: [...ADS_SCOPES, 'offline.access'],
    bearer_methods_supported: ['header'],
    resource_name: 'Rostra advertising',
  })

/** RFC 8414: where and how to get tokens. There is no registration of clients: apps are made by their developers. */
const serverDocument = (request: RequestFacts, { baseUrl }: Runtime): Answer =>
  answerDocument(request, {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/i/oauth2/authorize`,
    token_endpoint: `${baseUrl}/2/oauth2/token`,
    revocation_endpoint: `${baseUrl}/2/oauth2/revoke`,
    scopes_supported: [...SCOPES],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    code_challenge_methods_supported: ['S256', 'plain'],
  })

export const discoveryEndpoints: readonly Endpoint[] = [
  defineEndpoint('oauthResource', `GET ${RESOURCE_METADATA}`, async (request, runtime) =>
    resourceDocument(request, runtime, '/mcp'),
  ),
  ...RESOURCES.map((resource) =>
    defineEndpoint('oauthResource', `GET ${RESOURCE_METADATA}${resource}`, async (request, runtime) =>
      resourceDocument(request, runtime, resource),
    ),
  ),
  defineEndpoint('oauthServer', 'GET /.well-known/oauth-authorization-server', async (request, runtime) =>
    serverDocument(request, runtime),
  ),
]

import type { Naming } from '../naming/naming.ts'
import { problemBaseOf } from '../writing/problem.ts'
import {
  CAP_PERIODS,
  CAP_SCOPES,
  CLIENT_REASONS,
  CONNECTION_ISSUES,
  DISCONNECT_TYPES,
  RESOURCE_TYPES,
  SECTIONS,
} from '../writing/problem-words.ts'

type Json = Record<string, unknown>

const TEXT: Json = { type: 'string' }
const NAME: Json = { type: 'string', minLength: 1 }
const SECTION: Json = { type: 'string', enum: SECTIONS }

/** The members that a type of problem adds to the common ones. */
interface ProblemType {
  /** The name of its component. */
  name: string
  members?: Json
  required?: string[]
}

// Only lookups can miss a place or a poll: whoever sees a post sees these.
const KINDS = RESOURCE_TYPES.filter((kind) => kind !== 'place' && kind !== 'poll')

/** Every type of problem. `about:blank` is a type by itself, the others are below the address of the problems. */
const types = (oneOf: (words: readonly string[]) => Json): Record<string, ProblemType> => ({
  'about:blank': { name: 'GenericProblem' },
  'client-disconnected': { name: 'ClientDisconnectedProblem' },
  'client-forbidden': {
    name: 'ClientForbiddenProblem',
    members: {
      client_id: TEXT,
      reason: oneOf(CLIENT_REASONS),
      registration_url: { type: 'string', format: 'uri' },
      required_enrollment: TEXT,
    },
  },
  conflict: { name: 'ConflictProblem' },
  'disallowed-resource': {
    name: 'DisallowedResourceProblem',
    members: { resource_id: TEXT, resource_type: oneOf(KINDS), section: SECTION },
    required: ['resource_id', 'resource_type', 'section'],
  },
  'duplicate-rules': { name: 'DuplicateRuleProblem', members: { id: TEXT, value: TEXT } },
  'invalid-request': {
    name: 'InvalidRequestProblem',
    members: {
      errors: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            message: TEXT,
            parameters: { type: 'object', additionalProperties: { type: 'array', items: TEXT } },
          },
        },
      },
    },
  },
  'invalid-rules': {
    name: 'InvalidRuleProblem',
    members: { details: { type: 'array', items: TEXT }, value: TEXT },
  },
  'noncompliant-rules': { name: 'NonCompliantRulesProblem' },
  'not-authorized-for-field': {
    name: 'FieldUnauthorizedProblem',
    members: {
      field: TEXT,
      parameter: TEXT,
      resource_id: TEXT,
      resource_type: oneOf(KINDS),
      section: SECTION,
      value: TEXT,
    },
    required: ['field', 'resource_type', 'section'],
  },
  'not-authorized-for-resource': {
    name: 'ResourceUnauthorizedProblem',
    members: { parameter: TEXT, resource_id: TEXT, resource_type: oneOf(KINDS), section: SECTION, value: TEXT },
    required: ['parameter', 'resource_id', 'resource_type', 'section', 'value'],
  },
  'oauth1-permissions': { name: 'Oauth1PermissionsProblem' },
  'operational-disconnect': {
    name: 'OperationalDisconnectProblem',
    members: {
      disconnect_type: oneOf(DISCONNECT_TYPES),
    },
  },
  'resource-not-found': {
    name: 'ResourceNotFoundProblem',
    members: { parameter: NAME, resource_id: TEXT, resource_type: oneOf(RESOURCE_TYPES), value: TEXT },
    required: ['parameter', 'resource_id', 'resource_type', 'value'],
  },
  'resource-unavailable': {
    name: 'ResourceUnavailableProblem',
    members: { parameter: NAME, resource_id: TEXT, resource_type: oneOf(KINDS) },
    required: ['parameter', 'resource_id', 'resource_type'],
  },
  'rule-cap': { name: 'RulesCapProblem' },
  'streaming-connection': {
    name: 'ConnectionExceptionProblem',
    members: {
      connection_issue: oneOf(CONNECTION_ISSUES),
    },
  },
  'unsupported-authentication': { name: 'UnsupportedAuthenticationProblem' },
  'usage-capped': {
    name: 'UsageCapExceededProblem',
    members: {
      account_id: TEXT,
      period: oneOf(CAP_PERIODS),
      product_name: TEXT,
      scope: oneOf(CAP_SCOPES),
    },
  },
})

/** The components of the types of problem, and the discriminator that leads to them at an address of the server. */
export function describeProblemTypes(naming: Naming, baseUrl: string): { schemas: Json; discriminator: Json } {
  const described = types((words) => ({ type: 'string', enum: words.map((word) => naming.rename(word)) }))
  const schemas: Json = {}
  const mapping: Json = {}
  for (const [slug, { name, members, required }] of Object.entries(described)) {
    schemas[name] = {
      allOf: [
        { $ref: '#/components/schemas/Problem' },
        ...(members ? [{ type: 'object', ...(required ? { required } : {}), properties: members }] : []),
      ],
    }
    mapping[slug === 'about:blank' ? slug : `${problemBaseOf(baseUrl)}/${slug}`] = `#/components/schemas/${name}`
  }
  return { schemas, discriminator: { propertyName: 'type', mapping } }
}

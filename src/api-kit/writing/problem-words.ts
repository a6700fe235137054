/** The words that members of problems can have, as clients know them. The OpenAPI document lists them. */

/** The kinds of objects in `resource_type`. Problems of other kinds are made by `otherNotFound`. */
export const RESOURCE_TYPES = ['user', 'post', 'media', 'list', 'space', 'place', 'poll'] as const
export type ResourceType = (typeof RESOURCE_TYPES)[number]

export const SECTIONS = ['data', 'includes'] as const
export type Section = (typeof SECTIONS)[number]

/** Why a client is forbidden. */
export const CLIENT_REASONS = ['official-client-forbidden', 'client-not-enrolled'] as const
export type ClientReason = (typeof CLIENT_REASONS)[number]

export const CAP_PERIODS = ['Daily', 'Monthly'] as const
export const CAP_SCOPES = ['Account', 'Product'] as const
/** Which cap is used up. */
export interface CapWords {
  period: (typeof CAP_PERIODS)[number]
  scope: (typeof CAP_SCOPES)[number]
}

/** Why a stream cannot be opened. */
export const CONNECTION_ISSUES = [
  'TooManyConnections',
  'ProvisioningSubscription',
  'RuleConfigurationIssue',
  'RulesInvalidIssue',
] as const
export type ConnectionIssue = (typeof CONNECTION_ISSUES)[number]

/** Why the server ended a stream. */
export const DISCONNECT_TYPES = [
  'OperationalDisconnect',
  'UpstreamOperationalDisconnect',
  'ForceDisconnect',
  'UpstreamUncleanDisconnect',
  'SlowReader',
  'InternalError',
  'ClientApplicationStateDegraded',
  'InvalidRules',
] as const
export type DisconnectType = (typeof DISCONNECT_TYPES)[number]

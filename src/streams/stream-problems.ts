import { Problem, type ProblemBody, type Sentence } from '../api-kit/writing/problem.ts'

export type DisconnectType =
  | 'OperationalDisconnect'
  | 'UpstreamOperationalDisconnect'
  | 'ForceDisconnect'
  | 'UpstreamUncleanDisconnect'
  | 'SlowReader'
  | 'InternalError'
  | 'ClientApplicationStateDegraded'
  | 'InvalidRules'

/** Ends a stream: the server's last line says why. */
export const operationalDisconnect = (disconnectType: DisconnectType, detail: string): ProblemBody => ({
  title: 'operational-disconnect',
  disconnect_type: disconnectType,
  detail,
  type: 'operational-disconnect',
})

/** A stream cannot be opened: 429 for too many connections, 409 without rules, 503 while it is being prepared. */
export function streamingConnection(
  issue: 'TooManyConnections' | 'ProvisioningSubscription' | 'RuleConfigurationIssue' | 'RulesInvalidIssue',
  detail: string | Sentence,
): Problem {
  const status = issue === 'TooManyConnections' ? 429 : issue === 'ProvisioningSubscription' ? 503 : 409
  return new Problem(status, {
    title: 'ConnectionException',
    detail,
    connection_issue: issue,
    type: 'streaming-connection',
  })
}

/** Partial error of the rules: the value is there already. */
export const duplicateRule = (value: string, id: string): ProblemBody => ({
  value,
  id,
  title: 'DuplicateRule',
  type: 'duplicate-rules',
})

/** Partial error of the rules: the value cannot be parsed. */
export const invalidRule = (value: string, details: string[]): ProblemBody => ({
  value,
  details,
  title: 'UnprocessableEntity',
  type: 'invalid-rules',
})

/** 422: no more rules than the tier includes. */
export const ruleCap = (detail: string): Problem =>
  new Problem(422, { title: 'RulesCapExceeded', detail, type: 'rule-cap' })

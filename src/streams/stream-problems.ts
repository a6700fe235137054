import { Problem, type ProblemBody, type Sentence } from '../api-kit/writing/problem.ts'
import type { ConnectionIssue, DisconnectType } from '../api-kit/writing/problem-words.ts'

/** The last line of a stream that the server ends, with the reason. */
export const operationalDisconnect = (disconnectType: DisconnectType, detail: string): ProblemBody => ({
  title: 'operational-disconnect',
  disconnect_type: disconnectType,
  detail,
  type: 'operational-disconnect',
})

/** A stream cannot be opened: 429 for too many connections, 409 without rules, 503 while it is being prepared. */
export function streamingConnection(issue: ConnectionIssue, detail: string | Sentence): Problem {
  const status = issue === 'TooManyConnections' ? 429 : issue === 'ProvisioningSubscription' ? 503 : 409
  return new Problem(status, {
    title: 'ConnectionException',
    detail,
    connection_issue: issue,
    type: 'streaming-connection',
  })
}

/** Partial error: the app already has a rule with this value. */
export const duplicateRule = (value: string, id: string): ProblemBody => ({
  value,
  id,
  title: 'DuplicateRule',
  type: 'duplicate-rules',
})

/** Partial error: the rule cannot be parsed. */
export const invalidRule = (value: string, details: string[]): ProblemBody => ({
  value,
  details,
  title: 'UnprocessableEntity',
  type: 'invalid-rules',
})

/** 422: stored rules exceed the tier of the app, so none can be added before they are removed. */
export const noncompliantRules = (detail: string): Problem =>
  new Problem(422, { title: 'NonCompliantRules', detail, type: 'noncompliant-rules' })

/** 422: the project would have more rules than its tier includes. */
export const ruleCap = (detail: string): Problem =>
  new Problem(422, { title: 'RulesCapExceeded', detail, type: 'rule-cap' })

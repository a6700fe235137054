import { type Caller, CREDENTIAL_WORDS, type CredentialKind, type PermissionLevel } from '../declaring/caller.ts'
import type { AuthRule, Operation } from '../declaring/operation.ts'
import { blank, clientForbidden, oauth1Permissions, unsupportedAuthentication } from '../writing/problems.ts'

const RANK: Record<PermissionLevel, number> = { read: 0, 'read-write': 1, 'read-write-messages': 2 }

/** The level that OAuth 1.0a credentials need for an operation. */
function neededLevel(operation: Operation): PermissionLevel {
  if (operation.auth === 'none') return 'read'
  return operation.auth.level ?? (operation.method === 'GET' ? 'read' : 'read-write')
}

/** The kinds of credential that an operation takes, in the order of the interface. */
function takenKinds(auth: AuthRule): CredentialKind[] {
  return [
    ...(auth.oauth1 ? ['oauth1' as const] : []),
    ...(auth.oauth2 ? ['oauth2' as const] : []),
    ...(auth.app ? ['app' as const] : []),
  ]
}

/** Refuses callers whose credential, level, scopes or tier do not allow the operation. */
export function passGate(operation: Operation, caller: Caller): void {
  const { auth } = operation
  if (auth === 'none') return
  const kinds = takenKinds(auth)
  if (!kinds.includes(caller.kind)) {
    throw unsupportedAuthentication(
      CREDENTIAL_WORDS[caller.kind],
      kinds.map((kind) => CREDENTIAL_WORDS[kind]),
    )
  }
  if (caller.kind === 'oauth1' && RANK[caller.level] < RANK[neededLevel(operation)]) {
    throw oauth1Permissions(`the token allows ${caller.level}, the operation needs ${neededLevel(operation)}`)
  }
  if (caller.kind === 'oauth2' && !auth.scopesByRequest) {
    const missing = (auth.oauth2 ?? []).filter((scope) => !caller.scopes.has(scope))
    if (missing.length > 0) throw blank(403, undefined, `the token lacks the scope ${missing.join(' and ')}`)
  }
  if (auth.tiers && !auth.tiers.includes(caller.app.tier)) throw tierTooLow(caller, auth.tiers)
}

/** 403 for an app whose tier does not include what it asks for. */
export function tierTooLow(caller: Caller, tiers: readonly string[]) {
  return clientForbidden({
    clientId: caller.app.id,
    detail: `This endpoint or option is included in the tiers ${tiers.join(' and ')}; the app is on the tier ${caller.app.tier}.`,
    reason: 'client-not-enrolled',
  })
}

import type { Caller } from '../api-kit/declaring/caller.ts'
import { SCOPES } from '../identity/oauth2/scopes.ts'

/** The app that posts from our own pages name as their source. It has no keys and is no row: nobody else can use it. */
const OWN_APP: Caller['app'] = {
  id: '0',
  name: 'Rostra',
  clientId: '',
  tier: 'enterprise',
  projectId: '0',
  accountId: '0',
  ownerUserId: '0',
  naming: 'auto',
  isOwn: true,
}

const NO_SCOPES: ReadonlySet<string> = new Set()

/** The caller that a page stands for: the signed-in user, or else an app that sees what is public. */
export function ownCaller(user: { id: string; username: string } | undefined): Caller {
  return user
    ? { kind: 'oauth2', app: OWN_APP, user, scopes: SCOPES, level: 'read-write-messages' }
    : { kind: 'app', app: OWN_APP, user: undefined, scopes: NO_SCOPES, level: 'read' }
}

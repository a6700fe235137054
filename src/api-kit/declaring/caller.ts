/** Which kind of credential a request came with. */
export type CredentialKind = 'app' | 'oauth1' | 'oauth2'

export type Tier = 'free' | 'self-serve' | 'enterprise' | 'partner'
export type PermissionLevel = 'read' | 'read-write' | 'read-write-messages'

/** Who is calling: the app always, the user where the credential acts for one. */
export interface Caller {
  kind: CredentialKind
  app: {
    id: string
    name: string
    clientId: string
    tier: Tier
    projectId: string
    /** The developer account of the project. */
    accountId: string
    ownerUserId: string
    naming: 'auto' | 'legacy'
    /** The pages of this server: only what their users write is limited. */
    isOwn?: boolean
  }
  user: { id: string; username: string } | undefined
  /** OAuth 2.0 scopes, neutral names; empty for the other kinds. */
  scopes: ReadonlySet<string>
  /** The spelling in which the scopes of the token were asked for. */
  grantNaming?: 'neutral' | 'legacy'
  /** What the credential may do; app-only credentials read. */
  level: PermissionLevel
}

/** The level as the header `x-access-level` names it. */
export const accessLevel = (caller: Caller): string =>
  caller.level === 'read-write-messages' ? 'read-write-directmessages' : caller.level

export const CREDENTIAL_WORDS: Record<CredentialKind, string> = {
  app: 'OAuth 2.0 Application-Only',
  oauth1: 'OAuth 1.0a User Context',
  oauth2: 'OAuth 2.0 User Context',
}

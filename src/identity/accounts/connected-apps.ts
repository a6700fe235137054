import type { PermissionLevel } from '../../api-kit/declaring/caller.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import { isStorableId } from '../../process/ids.ts'
import { statement } from '../../storage/statement.ts'
import { endAccess } from '../end-access.ts'

/** An app that has access to an account. */
export interface ConnectedApp {
  id: string
  name: string
  description: string
  website_url: string
  owner: string
  /** The level of OAuth 1.0a; null where the app has no such token. */
  access_level: PermissionLevel | null
  /** What was granted by OAuth 2.0. */
  scopes: string[]
  since: Date
  /** When the app last got a token, as far as that is known. */
  last_token_at: Date | null
}

/** How long an access token of OAuth 2.0 is valid, which says when it was given. Those of the first world have no end. */
const ACCESS_TOKEN_LIFE = `interval '7200 seconds'`

// A grant whose tokens have all ended gives no access any more.
const connectedApps = statement(
  'connected_apps',
  {
    id: 'int8',
    name: 'text',
    description: 'text',
    website_url: 'text',
    owner: 'text',
    access_level: 'text?',
    scopes: 'text[]',
    since: 'timestamptz',
    last_token_at: 'timestamptz?',
  },
  `with live as (
     select t.app_id, t.access_level, '{}'::text[] as scopes, t.created_at, null::timestamptz as token_at
       from oauth1_access_token t where t.user_id = $1
     union all
     select g.app_id, null, g.scopes, g.created_at,
            (select max(t.expires_at) - ${ACCESS_TOKEN_LIFE} from oauth2_access_token t
              where t.grant_id = g.id and t.expires_at - ${ACCESS_TOKEN_LIFE} <= $2)
       from oauth2_grant g
      where g.user_id = $1 and not g.revoked
        and (exists (select from oauth2_access_token t where t.grant_id = g.id and t.expires_at > $2)
          or exists (select from oauth2_refresh_token r where r.grant_id = g.id and not r.used and r.expires_at > $2)
          or exists (select from oauth2_code c where c.grant_id = g.id and not c.used and c.expires_at > $2))
   )
   select a.id, a.name, a.description, a.website_url, u.username as owner, max(l.access_level) as access_level,
          array(select distinct s from live m, unnest(m.scopes) as s where m.app_id = a.id order by s) as scopes,
          min(l.created_at) as since, max(l.token_at) as last_token_at
     from live l join client_app a on a.id = l.app_id join user_account u on u.id = a.owner_user_id
    where a.id > $3 group by a.id, u.username order by a.id limit $4`,
)

/** The apps that have access to an account, after an id. */
export const readConnectedApps = async (
  runtime: Runtime,
  userId: string,
  { after, limit }: { after: string; limit: number },
): Promise<ConnectedApp[]> =>
  (await connectedApps.all(runtime.database, userId, new Date(runtime.clock.now()), after, limit)) as ConnectedApp[]

/** Revokes the access of an app; false when it had none. */
export async function revokeApp(runtime: Runtime, userId: string, appId: string): Promise<boolean> {
  if (!isStorableId(appId)) return false
  const ended = await change(runtime, (tx, invalidate) => endAccess(tx, invalidate, runtime, { userId, appId }))
  return ended.oauth1 + ended.oauth2 > 0
}

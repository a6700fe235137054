import type { Runtime } from '../../api-kit/runtime.ts'
import { digest } from '../../process/secret-box.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

/** How many sessions of a user are shown: the newest. */
const MOST_SHOWN = 100

const sessionsOf = statement(
  'own_sessions',
  { id: 'text', agent: 'text', created_at: 'timestamptz?', last_seen_on: 'text?', is_current: 'bool' },
  `select encode(substr(token_hash, 1, 8), 'hex') as id, agent, created_at, last_seen_on::text, token_hash = $2 as is_current
     from web_session where user_id = $1 and expires_at > $3
    order by token_hash = $2 desc, created_at desc nulls last, token_hash limit $4`,
)
const sessionEnd = statement(
  'own_session_end',
  {},
  `delete from web_session where user_id = $1 and substr(token_hash, 1, 8) = decode($2, 'hex')`,
)
const othersEnd = statement(
  'own_sessions_end_others',
  {},
  'delete from web_session where user_id = $1 and token_hash is distinct from $2',
)

/** The sessions of a user, first the one of this browser. Their ids do not let anybody sign in. */
export const readSessions = (runtime: Runtime, userId: string, token: string | undefined) =>
  sessionsOf.all(runtime.database, userId, hashOf(token), new Date(runtime.clock.now()), MOST_SHOWN)

/** Ends a session of a user; false when the user has none with this id. */
export const endOwnSession = async (db: Db, userId: string, id: string): Promise<boolean> =>
  /^[0-9a-f]{16}$/.test(id) && (await sessionEnd.count(db, userId, id)) > 0

/** Ends all sessions of a user except the one with a token; returns how many. */
export const endOtherSessions = (tx: Db | Tx, userId: string, token: string | undefined): Promise<number> =>
  othersEnd.count(tx, userId, hashOf(token))

const hashOf = (token: string | undefined): Buffer => (token === undefined ? Buffer.alloc(0) : digest(token))

import { createHash } from 'node:crypto'
import { parseBase36 } from '../../src/ads/kit/values.ts'
import { idAt } from '../../src/process/ids.ts'
import type { TestServer } from '../support/server.ts'

/** SHA-256, which identifies users. */
export const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

let made = 0

/** A user who can be found by id, handle or e-mail address. */
export interface Person {
  id: string
  handle: string
  email: string
}

/** Adds users who joined some days ago and never posted. */
export async function addPeople(server: TestServer, count: number, joinedDaysAgo = 1): Promise<Person[]> {
  const joined = new Date(server.runtime.clock.now() - joinedDaysAgo * 86_400_000)
  const people = Array.from({ length: count }, () => {
    made += 1
    return {
      id: String(BigInt(idAt(joined.getTime())) + BigInt(made)),
      handle: `person_${made}`,
      email: `person${made}@example.com`,
    }
  })
  await server.runtime.database.query({
    text: `with u as (
             insert into user_account (id, username, name, created_at) select id, initcap(handle), handle, $4 from unnest($1::bigint[], $2::text[]) p (id, handle)
           ), m as (insert into user_metrics (user_id) select unnest($1::bigint[]))
           insert into user_sign_in (user_id, email, email_confirmed) select id, ' ' || upper(email) || ' ', true from unnest($1::bigint[], $3::text[]) p (id, email)`,
    values: [
      people.map((item) => item.id),
      people.map((item) => item.handle),
      people.map((item) => item.email),
      joined,
    ],
  })
  return people
}

/** How many active users an audience or a Do Not Reach list has after the next run. Replies do not show sizes below 100. */
export async function countMatched(server: TestServer, id: string): Promise<number> {
  await server.command('ads.work')
  const since = server.runtime.clock.now() - 90 * 86_400_000
  const { rows } = await server.runtime.database.query<{ count: string }>({
    text: `select count(*) from ads_audience_match m join user_account u on u.id = m.user_id and not u.suspended
             join user_metrics t on t.user_id = u.id
            where m.audience_id = $1 and (u.created_at >= $2 or t.most_recent_post_id >= $3)`,
    values: [parseBase36(id), new Date(since), idAt(since)],
  })
  return Number(rows[0]!.count)
}

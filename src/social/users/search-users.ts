import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { type Parameter, textParameter, wholeNumber } from '../../api-kit/declaring/parameters.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { component, Type } from '../../api-kit/declaring/schema.ts'
import { PageMeta, pages } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerKeyedPage, answerPage } from '../../api-kit/writing/answer-objects.ts'
import { quote } from '../../search/post-terms.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { UserId } from '../ids.ts'
import { keyedList } from '../keyed-list.ts'
import { findUserOfPath } from './find-readable-user.ts'
import { FIRST_CURSOR, readUserCursor, type UserSearchCursor, writeUserCursor } from './search-cursor.ts'
import { user } from './user.object.ts'
import { LONGEST_BEGINNING, octaveOf } from './user-terms.ts'

/**
 * Users who match a search: first the one with that username, then usernames that begin with it, then the others, by followers.
 * Octaves of followers are walked from the highest, so cost follows what is returned. See `walk-slices.ts` about the form.
 */
const usersFound = statement(
  'users_found',
  { fit: 'int4', followers: 'int4', id: 'int8' },
  `select fit, followers, id from (
     select f.fit, u.followers, u.id
       from (values (2), (1), (0)) as f (fit)
      cross join lateral (
        select n as octave from generate_series(31, 0, -1) as n
         where f.fit < 2 and (f.fit < $3::int or n <= ${octaveOf('$4::int')})
         union all select null where f.fit = 2) o
      cross join lateral (
        select m.followers_count as followers, a.id from user_account a join user_metrics m on m.user_id = a.id
         where f.fit = 2 and lower(a.username) = $2 and (not a.suspended or $9::bool)
         union all
        (select m.followers_count, t.id
           from user_terms t
          cross join lateral (select username, search from user_account a where a.id = t.id and (not a.suspended or $9::bool) offset 0) a
          cross join lateral (select followers_count from user_metrics m where m.user_id = t.id offset 0) m
          where f.fit < 2 and t.terms @@ ('~o' || o.octave)::tsquery and t.terms @@ (case f.fit when 1 then $7 else $1 end)::tsquery
            and case f.fit when 1 then lower(a.username) <> $2 else not starts_with(lower(a.username), $2) and a.search @@ $8::tsquery end
          order by 1 desc, 2 desc)) u
      where (f.fit, u.followers, u.id) < ($3::int, $4::int, $5::bigint)
      limit (select $6::int)
   ) found order by fit desc, followers desc, id desc`,
)

/** What users must have, as two `tsquery` texts: beginnings as terms of their own, and as prefixes of words of any length. */
interface WordBeginnings {
  terms: string
  prefixes: string
}

/** The beginnings of words in a query; undefined when there are none. */
function wordBeginnings(query: string): WordBeginnings | undefined {
  const words = query.match(/[a-z0-9]+/g) ?? query.match(/_+/g)
  if (!words) return undefined
  return {
    terms: words.map((word) => quote(word.slice(0, LONGEST_BEGINNING))).join(' & '),
    prefixes: words.map((word) => `${quote(word)}:*`).join(' & '),
  }
}

/** The ids of users who match a text, a page after a cursor, and the token of the next page. Operators find suspended users too. */
export async function findUsersByText(
  db: Db,
  query: string,
  { fit, followers, id }: UserSearchCursor,
  most: number,
  withSuspended = false,
): Promise<{ users: string[]; next?: string }> {
  const text = query.trim().toLowerCase()
  const words = wordBeginnings(text)
  if (words === undefined) return { users: [] }
  const start = quote(`^${text}`)
  // One more than requested, to see whether there is another page.
  const found = await usersFound.all(
    db,
    words.terms,
    text,
    fit,
    followers,
    id,
    most + 1,
    start,
    words.prefixes,
    withSuspended,
  )
  const page = found.slice(0, most)
  const users = page.map((item) => item.id)
  return found.length > page.length ? { users, next: writeUserCursor(page.at(-1)!) } : { users }
}

const Token = component('PaginationToken36', Type.String({ minLength: 1 }))

const nextToken: Parameter<UserSearchCursor> = {
  describe: (name) => [{ name, required: false, schema: Token }],
  compile: (name) => (query, faults) => {
    const texts = query.get(name)
    if (texts === undefined) return FIRST_CURSOR
    const cursor = texts.length === 1 ? readUserCursor(texts[0]!) : undefined
    if (!cursor)
      faults.push({
        parameters: { [name]: texts },
        message: `The \`${name}\` query parameter value [${texts.join()}] is not valid`,
      })
    return cursor ?? FIRST_CURSOR
  },
}

export const searchUsers = defineOperation({
  id: 'searchUsers',
  route: 'GET /2/users/search',
  tag: 'Users',
  summary: 'Find users by name, username or bio',
  auth: { oauth1: true, oauth2: ['post.read', 'users.read'] },
  limit: { app: '300/15m', user: '900/15m' },
  query: {
    query: textParameter(component('UserSearchQueryVnext', Type.String({ pattern: "^[A-Za-z0-9_' ]{1,50}$" })), {
      required: true,
    }),
    max_results: wholeNumber({ min: 1, max: 1000 }, { initial: 100 }),
    next_token: nextToken,
    ...selects(() => user),
  },
  reply: listReply('Get2UsersSearchResponse', user, PageMeta),
  handle: async ({ query, context, runtime }) => {
    const { users, next } = await findUsersByText(runtime.database, query.query, query.next_token, query.max_results)
    return answerPage(context, users, query.selection, next === undefined ? {} : { next_token: next })
  },
})

/** The users who are affiliated to an organisation. */
const affiliates = keyedList('affiliates', {
  key: 'u.id',
  id: 'u.id',
  from: 'user_account u',
  where: `u.affiliation is not null and u.affiliation -> 'user_id' @> jsonb_build_array($1::text)`,
})

export const getUsersAffiliates = defineOperation({
  id: 'getUsersAffiliates',
  route: 'GET /2/users/{id}/affiliates',
  tag: 'Users',
  summary: 'List the users who belong to an organisation',
  auth: { app: true, oauth1: true, oauth2: ['post.read', 'users.read'] },
  path: { id: UserId },
  query: {
    ...pages({ min: 1, max: 1000, initial: 100, token: 'decimal', shown: false }),
    ...selects(() => user),
  },
  reply: listReply('Get2UsersIdAffiliatesResponse', user, PageMeta),
  handle: async ({ path, query, context, runtime }) => {
    const organisation = await findUserOfPath(context, path.id)
    return answerKeyedPage(context, runtime, query, affiliates, organisation.id)
  },
})

/** Words are found by their beginnings of up to this many letters. Longer beginnings are compared afterwards. */
export const LONGEST_BEGINNING = 12

/** The octave of a number of followers: it rises each time the number doubles. */
export const octaveOf = (followers: string): string => `(32 - position(b'1' in (${followers} + 1)::bit(32)))`

// `^` marks the beginnings of the username, `~o` the octave.
const termsOf = (user: string, octave: string): string =>
  `(select array_to_tsvector(array_agg(distinct b.term)) from (
      select left(w.word, n) from unnest(tsvector_to_array(${user}.search)) as w (word), generate_series(1, least(length(w.word), ${LONGEST_BEGINNING})) as n
      union all select '^' || left(lower(${user}.username), n) from generate_series(1, length(${user}.username)) as n
      union all select '~o' || ${octave}) as b (term))`

/** An INSERT of the terms of new users, who have no followers yet. `users` is a query for `id`, `username` and `search`. */
export const userTermsStored = (users: string): string =>
  `insert into user_terms (id, terms) select u.id, ${termsOf('u', '0')} from (${users}) u`

/** An INSERT of the terms of users whose followers are counted already, in `metrics`. `users` is as above. */
export const countedUserTermsStored = (users: string, metrics = 'user_metrics'): string =>
  `insert into user_terms (id, terms) select u.id, ${termsOf('u', octaveOf('m.followers_count'))}
     from (${users}) u join ${metrics} m on m.user_id = u.id`

/** A statement that renews the terms of the user `$1` after a change of the profile. */
export const USER_TERMS_RENEWED = `update user_terms t set terms = ${termsOf('u', octaveOf('m.followers_count'))}
   from user_account u join user_metrics m on m.user_id = u.id where t.id = $1 and u.id = $1`

/**
 * An UPDATE of the octaves of users. `counted` is a query for `user_id`, `followers` as they are now, and `added`: how many
 * came in this statement. Only users whose octave changed are written.
 */
export const octavesMoved = (counted: string): string =>
  `update user_terms t set terms = ts_delete(t.terms, '~o' || ${octaveOf('(c.followers - c.added)')})
                                  || array_to_tsvector(array['~o' || ${octaveOf('c.followers')}])
     from (${counted}) c where t.id = c.user_id and ${octaveOf('c.followers')} <> ${octaveOf('(c.followers - c.added)')}`

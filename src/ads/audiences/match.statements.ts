import { statement } from '../../storage/statement.ts'
import { IDENTIFIERS } from './identifiers.data.ts'

/** The lists that are due to be counted: lists of users before the flexible audiences that consist of them. */
export const dueLists = statement(
  'ads_audiences_due',
  {
    id: 'int8',
    is_audience: 'bool',
    is_flexible: 'bool',
    deleted: 'bool',
    revision: 'int4',
    segments: 'jsonb?',
    tag_id: 'int8?',
  },
  `select * from (
     (select id, true as is_audience, audience_type = 'FLEXIBLE' as is_flexible, deleted, revision, segments, tag_id
        from ads_custom_audience where due_at <= $1 order by due_at limit 100)
     union all
     (select id, false, false, deleted, revision, null, null from ads_do_not_reach_list where due_at <= $1 order by due_at limit 100)
   ) d order by is_flexible, id`,
)

/** Keeps two processes from counting the same list at once. */
export const claimList = statement(
  'ads_audience_claim',
  { claimed: 'bool' },
  'select pg_try_advisory_xact_lock($1::bigint) as claimed',
)

export const expiredDrop = statement(
  'ads_audience_expired_drop',
  {},
  'delete from ads_audience_key where audience_id = $1 and expires_at <= $2',
)

export const keysRemove = statement(
  'ads_audience_keys_remove',
  {},
  'delete from ads_audience_key where audience_id = $1',
)
export const matchesRemove = statement(
  'ads_audience_matches_remove',
  {},
  'delete from ads_audience_match where audience_id = $1',
)

const key = (kind: number) => `k.audience_id = $1 and k.kind = ${kind} and k.effective_at <= $2 and k.expires_at > $2`

/**
 * Updates the stored matches to those in `found`, and counts the users who joined since $3 or posted since $4. PostgreSQL
 * never runs a full join as a nested loop, whatever it estimates about the sizes.
 */
const keepMatches = `difference as materialized (
     select f.user_id, f.since, m.row_address from found f
       full join (select ctid as row_address, user_id, since from ads_audience_match where audience_id = $1) m on m.user_id = f.user_id
      where m.since is distinct from f.since
   ), removed as (
     delete from ads_audience_match where ctid = any (array(select row_address from difference where user_id is null)) returning 1
   ), stored as (
     insert into ads_audience_match as m (audience_id, user_id, since) select $1, user_id, since from difference where user_id is not null
     on conflict (audience_id, user_id) do update set since = excluded.since returning 1
   )
   select (count(*) filter (where u.created_at >= $3 or t.most_recent_post_id >= $4))::int as active,
          ((select count(*) from removed) + (select count(*) from stored))::int as changed
     from found f join user_account u on u.id = f.user_id and not u.suspended left join user_metrics t on t.user_id = u.id`

// The expressions are those of the indexes on users' hashes, letter for letter.
export const matchKeys = statement(
  'ads_audience_match_keys',
  { active: 'int4', changed: 'int4' },
  `with found as materialized (
     select user_id, max(effective_at) as since from (
       select s.user_id, k.effective_at from ads_audience_key k
         join user_sign_in s on sha256(replace(lower(btrim(s.email)), '\\', '\\\\')::bytea) = k.hash and s.email_confirmed and s.email is not null
        where ${key(IDENTIFIERS.email)}
       union all
       select u.id, k.effective_at from ads_audience_key k join user_account u on sha256(lower(u.username)::bytea) = k.hash
        where ${key(IDENTIFIERS.handle)}
       union all
       select u.id, k.effective_at from ads_audience_key k join user_account u on sha256(u.id::text::bytea) = k.hash
        where ${key(IDENTIFIERS.platform_id)}
     ) hit group by user_id
   ), ${keepMatches}`,
)

// $5 to $8 have one element for each leaf: its audience, the start of its window, and whether a user within and outside of the window
// fulfils it. $9: the accepted combinations.
export const matchSegments = statement(
  'ads_audience_match_segments',
  { active: 'int4', changed: 'int4' },
  `with found as materialized (
     select user_id, max(since) as since from (
       select m.user_id, m.since,
              case when case when m.since > l.window_start then l.within else l.outside end then 1 << (l.n::int - 1) else 0 end as mask
         from unnest($5::bigint[], $6::timestamptz[], $7::bool[], $8::bool[]) with ordinality as l (audience_id, window_start, within, outside, n)
         join ads_audience_match m on m.audience_id = l.audience_id and m.since <= $2
     ) leaf group by user_id having bit_or(mask) = any($9::int[])
   ), ${keepMatches}`,
)

/** Those whom the event tag $5 was hit by since $6. */
export const matchVisitors = statement(
  'ads_audience_match_visitors',
  { active: 'int4', changed: 'int4' },
  `with found as materialized (
     select v.user_id, max(t.seen_at) as since from ads_tag_visitor t join ads_viewer v on v.number = t.viewer
      where t.tag_id = $5 and t.seen_at > $6::timestamptz and t.seen_at <= $2 and v.user_id is not null group by v.user_id
   ), ${keepMatches}`,
)

/** The next time at which a key becomes effective or expires. */
export const nextKeyChange = statement(
  'ads_audience_next_key_change',
  { at: 'timestamptz?' },
  `select min(case when effective_at > $2 then effective_at else expires_at end) as at from ads_audience_key
    where audience_id = $1 and expires_at > $2`,
)

// A size below the least is not kept: with a list of one address it would tell whether the address is known here.
const settle = (table: string, size: string) =>
  `update ${table} set ${size} = case when $2::int >= $3::int then $2::int end, targetable = $2::int >= $3::int,
     reasons_not_targetable = case when $2::int >= $3::int then '{}' when revision = $4 then '{TOO_SMALL}' else '{PROCESSING,TOO_SMALL}'::text[] end,
     rest_until = $6::timestamptz, due_at = case when revision = $4 then $5::timestamptz else greatest(due_at, $6) end
    where id = $1 and not deleted`

export const settleAudience = statement('ads_audience_settle', {}, settle('ads_custom_audience', 'audience_size'))
export const settleDoNotReach = statement('ads_do_not_reach_settle', {}, settle('ads_do_not_reach_list', 'list_size'))

/** Ends the work on a deleted list. */
export const restAudience = statement(
  'ads_audience_rest',
  {},
  'update ads_custom_audience set due_at = null where id = $1',
)
export const restDoNotReach = statement(
  'ads_do_not_reach_rest',
  {},
  'update ads_do_not_reach_list set due_at = null where id = $1',
)

/** Makes the flexible audiences due that contain a changed audience. */
export const markDependent = statement(
  'ads_audience_mark_dependent',
  {},
  `update ads_custom_audience set due_at = greatest($2, rest_until), revision = revision + 1
    where leaf_ids @> array[$1::bigint] and leaf_ids is not null and not deleted`,
)

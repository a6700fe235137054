// Bytes are rows, in the segments that the client sent. Two tables have them: `media` with `media_segment`, and the files of
// encrypted chat in the same form.

type Uploads = 'media' | 'chat_media'

/** Stores or replaces a segment `$2` of a locked upload `$1`. Returns how many bytes there are now. */
export const segmentPutSql = (table: Uploads): string =>
  `with old as (select size from ${table}_segment where media_id = $1 and segment = $2),
   put as (
     insert into ${table}_segment (media_id, segment, size, bytes) values ($1::bigint, $2::int, $3::int, $4::bytea)
     on conflict (media_id, segment) do update set size = excluded.size, bytes = excluded.bytes
   )
   update ${table} set received_bytes = received_bytes + $3::int - coalesce((select size from old), 0) where id = $1
   returning received_bytes`

/** Sets the offsets of the segments of an upload. Returns the first that is missing. */
export const segmentsArrangeSql = (table: Uploads): string =>
  `with laid as (
     select segment, size, sum(size) over (order by segment) - size as starts_at, row_number() over (order by segment) - 1 as expected
       from ${table}_segment where media_id = $1
   ), arranged as (
     update ${table}_segment s set starts_at = l.starts_at from laid l where s.media_id = $1 and s.segment = l.segment
   )
   select count(*)::int as segments, coalesce(sum(size), 0)::bigint as bytes,
          min(expected) filter (where segment <> expected)::int as missing from laid`

/** The bytes from `$2` to before `$3`, one row per segment that contains some of them. */
export const segmentsReadSql = (table: Uploads): string =>
  `select substring(bytes from (greatest($2::bigint - starts_at, 0) + 1)::int
                    for (least($3::bigint - starts_at, size) - greatest($2::bigint - starts_at, 0))::int) as bytes
     from ${table}_segment where media_id = $1 and starts_at < $3::bigint and starts_at + size > $2::bigint order by starts_at`

import { type RowOf, statement } from '../../storage/statement.ts'

const jobColumns = {
  id: 'int8',
  type: 'text',
  name: 'text?',
  resumable: 'bool',
  status: 'text',
  created_at: 'timestamptz',
  upload_expires_at: 'timestamptz',
  download_expires_at: 'timestamptz',
} as const
export type JobRow = RowOf<typeof jobColumns>
const columns = Object.keys(jobColumns).join(', ')

/** Makes jobs of one app wait for each other. */
export const appLock = statement(
  'compliance_app_lock',
  { id: 'int8' },
  'select id from client_app where id = $1 for update',
)
/** A job of this type that waits for its upload or is being processed. */
export const jobUnderway = statement(
  'compliance_job_underway',
  { id: 'int8' },
  `select id from compliance_job where app_id = $1 and type = $2
      and (status = 'in_progress' or (status = 'created' and upload_expires_at > $3)) limit 1`,
)
export const jobAdd = statement(
  'compliance_job_add',
  jobColumns,
  `insert into compliance_job (id, app_id, type, name, resumable, status, created_at, upload_expires_at, download_expires_at)
   values ($1, $2, $3, $4, $5, 'created', $6, $7, $8) returning ${columns}`,
)
export const jobOfApp = statement(
  'compliance_job_of_app',
  jobColumns,
  `select ${columns} from compliance_job where id = $1 and app_id = $2`,
)
/** The newest jobs of an app; created ones whose time is over do not have the status `created`. */
export const jobsOfApp = statement(
  'compliance_jobs_of_app',
  jobColumns,
  `select ${columns} from compliance_job where app_id = $1 and type = $2
      and ($3::text is null or (status = $3 and (status <> 'created' or upload_expires_at > $4)))
    order by id desc limit $5`,
)

export const jobToUpload = statement(
  'compliance_job_to_upload',
  { status: 'text', resumable: 'bool', upload_attempt: 'int4', received_bytes: 'int8' },
  'select status, resumable, upload_attempt, received_bytes from compliance_job where id = $1',
)
/** Begins an upload of the whole file. Segments of earlier attempts are dropped. */
export const attemptBegin = statement(
  'compliance_attempt_begin',
  { upload_attempt: 'int4' },
  `with dropped as (delete from compliance_upload where job_id = $1)
   update compliance_job set upload_attempt = upload_attempt + 1, received_bytes = 0 where id = $1 and status = 'created'
   returning upload_attempt`,
)
/** Adds bytes where the upload ends; nothing if another upload has begun meanwhile. */
export const segmentAdd = statement(
  'compliance_segment_add',
  { job_id: 'int8' },
  `with job as (
     update compliance_job set received_bytes = received_bytes + $4::int
      where id = $1 and upload_attempt = $2 and received_bytes = $3 and status = 'created' returning id
   )
   insert into compliance_upload (job_id, attempt, first_byte, bytes) select id, $2, $3, $5 from job returning job_id`,
)
export const uploadEnd = statement(
  'compliance_upload_end',
  {},
  `update compliance_job set status = 'in_progress' where id = $1 and upload_attempt = $2 and status = 'created'`,
)

export const jobToProcess = statement(
  'compliance_job_to_process',
  {
    id: 'int8',
    type: 'text',
    upload_attempt: 'int4',
    received_bytes: 'int8',
    done_bytes: 'int8',
    unfinished_line: 'text',
    result_parts: 'int4',
  },
  `select id, type, upload_attempt, received_bytes, done_bytes, unfinished_line, result_parts
     from compliance_job where status = 'in_progress' order by id limit 1`,
)
export const segmentAt = statement(
  'compliance_segment_at',
  { bytes: 'bytea' },
  'select bytes from compliance_upload where job_id = $1 and attempt = $2 and first_byte = $3',
)
/** Stores how far a job came, with the result of that step; nothing if another process has done this step. */
export const stepEnd = statement(
  'compliance_step_end',
  { id: 'int8' },
  `with job as (
     update compliance_job set done_bytes = $3, unfinished_line = $4, status = $5, result_parts = result_parts + 1,
            result_bytes = result_bytes + octet_length($6::bytea)
      where id = $1 and done_bytes = $2 and status = 'in_progress' returning id, result_parts
   ), stored as (
     insert into compliance_result (job_id, part, bytes) select id, result_parts, $6::bytea from job
   )
   select id from job`,
)
export const jobFail = statement(
  'compliance_job_fail',
  {},
  `update compliance_job set status = 'failed' where id = $1 and status = 'in_progress'`,
)
export const uploadDrop = statement('compliance_upload_drop', {}, 'delete from compliance_upload where job_id = $1')

// Times of the wire have whole seconds. The lower 22 bits of an id are not its time.
const wireTimeSql = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`
const timeOfIdSql = 'to_timestamp(((f.id >> 22) + 1288834974657) / 1000)'

/**
 * The lines of the result for the ids `$1`: of those that a query finds, with why and since when they may not be kept. `$2` is now.
 * They are written here because a million rows would cost a worker most of its time.
 */
const linesSql = (found: string): string =>
  `select string_agg('{"id":"' || f.id || '","action":"delete","created_at":"' || ${wireTimeSql(timeOfIdSql)} || '","redacted_at":"' ||
            ${wireTimeSql('coalesce(f.redacted_at, $2::timestamptz)')} || '","reason":"' || f.reason || E'"}\\n', '' order by f.position) as lines
     from (${found}) f`

/** Posts that may not be kept, of a list: deleted or unknown ones, and those of suspended or protected authors. */
export const postsToRemove = statement(
  'compliance_posts_to_remove',
  { lines: 'text?' },
  linesSql(`select i.id, i.position,
          case when p.id is null or u.deactivated_at is not null then 'deleted' when u.suspended then 'suspended' else 'protected' end as reason,
          case when p.id is null then d.deleted_at when u.deactivated_at is not null then u.deactivated_at when u.suspended then u.suspended_at else u.protected_at end as redacted_at
     from unnest($1::bigint[]) with ordinality as i (id, position)
     left join post p on p.id = i.id
     left join user_account u on u.id = p.author_id
     left join deleted_post d on d.id = i.id
    where p.id is null or u.suspended or u.protected`),
)
export const usersToRemove = statement(
  'compliance_users_to_remove',
  { lines: 'text?' },
  linesSql(`select i.id, i.position,
          case when u.id is null or u.deactivated_at is not null then 'deleted' when u.suspended then 'suspended' else 'protected' end as reason,
          case when u.id is null or u.deactivated_at is not null then d.deleted_at when u.suspended then u.suspended_at else u.protected_at end as redacted_at
     from unnest($1::bigint[]) with ordinality as i (id, position) left join user_account u on u.id = i.id
     left join deleted_account d on d.user_id = i.id
    where u.id is null or u.suspended or u.protected`),
)

export const resultOf = statement(
  'compliance_result_of',
  { status: 'text', result_bytes: 'int8', result_parts: 'int4' },
  'select status, result_bytes, result_parts from compliance_job where id = $1',
)
export const resultPart = statement(
  'compliance_result_part',
  { bytes: 'bytea' },
  'select bytes from compliance_result where job_id = $1 and part = $2',
)

/** Drops the bytes of jobs whose download has expired, and of uploads that did not end in time. */
export const resultsExpire = statement(
  'compliance_results_expire',
  {},
  `with ended as (select id from compliance_job where download_expires_at < $1),
   results as (delete from compliance_result where job_id in (select id from ended))
   delete from compliance_upload u using compliance_job j
    where j.id = u.job_id and (j.download_expires_at < $1 or (j.status = 'created' and j.upload_expires_at < $2))`,
)
export const jobsPrune = statement(
  'compliance_jobs_prune',
  {},
  'delete from compliance_job where download_expires_at < $1',
)

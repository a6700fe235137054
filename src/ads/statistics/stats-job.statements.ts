import { type RowOf, statement } from '../../storage/statement.ts'

const jobColumns = {
  id: 'int8',
  account_id: 'int8',
  status: 'text',
  entity: 'text',
  entity_ids: 'int8[]',
  granularity: 'text',
  placement: 'text',
  metric_groups: 'text[]',
  segmentation_type: 'text?',
  country: 'text?',
  start_time: 'timestamptz',
  end_time: 'timestamptz',
  naming: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  expires_at: 'timestamptz?',
} as const
export type JobRow = RowOf<typeof jobColumns>
const columns = Object.keys(jobColumns).join(', ')

export const jobAdd = statement(
  'ads_stats_job_add',
  jobColumns,
  `insert into ads_stats_job (id, account_id, status, entity, entity_ids, granularity, placement, metric_groups, segmentation_type, country,
     start_time, end_time, naming, created_at, updated_at)
   values ($1, $2, 'PROCESSING', $3, $4::bigint[], $5, $6, $7::text[], $8, $9, $10, $11, $12, $13, $13) returning ${columns}`,
)
/** How many jobs of an account are in progress. */
export const jobsRunning = statement(
  'ads_stats_jobs_running',
  { count: 'int4' },
  `select count(*)::int as count from ads_stats_job where account_id = $1 and status = 'PROCESSING'`,
)
/** A page of an account's jobs, newest first, before the id $2; of the ids $3 if they are given. */
export const jobsOfAccount = statement(
  'ads_stats_jobs_of_account',
  jobColumns,
  `select ${columns} from ads_stats_job where account_id = $1 and id < $2::bigint and ($3::bigint[] is null or id = any($3))
    order by id desc limit $4`,
)
export const jobCancel = statement(
  'ads_stats_job_cancel',
  jobColumns,
  `update ads_stats_job set status = 'CANCELLED', updated_at = $3 where id = $1 and account_id = $2 and status = 'PROCESSING' returning ${columns}`,
)
export const jobOfAccount = statement(
  'ads_stats_job_of_account',
  { status: 'text' },
  'select status from ads_stats_job where id = $1 and account_id = $2',
)

/** The job that waits longest, with the time zone of its account. */
export const jobWaiting = statement(
  'ads_stats_job_waiting',
  { ...jobColumns, timezone: 'text' },
  `select ${Object.keys(jobColumns)
    .map((name) => `j.${name}`)
    .join(', ')}, a.timezone
     from ads_stats_job j join ads_account a on a.id = j.account_id where j.status = 'PROCESSING' order by j.id limit 1`,
)
export type WaitingJob = JobRow & { timezone: string }

export const filePartAdd = statement(
  'ads_stats_file_part_add',
  {},
  'insert into ads_stats_file (job_id, part, bytes) values ($1, $2, $3)',
)
/** Ends a job; nothing if it was cancelled meanwhile. */
export const jobEnd = statement(
  'ads_stats_job_end',
  { id: 'int8' },
  `update ads_stats_job set status = $2, updated_at = $3, expires_at = $4 where id = $1 and status = 'PROCESSING' returning id`,
)

export const filePart = statement(
  'ads_stats_file_part',
  { bytes: 'bytea' },
  'select bytes from ads_stats_file where job_id = $1 and part = $2',
)

/** Drops files whose time is over. */
export const statsFilesExpire = statement(
  'ads_stats_files_expire',
  {},
  'delete from ads_stats_file f using ads_stats_job j where j.id = f.job_id and j.expires_at < $1',
)
export const statsJobsPrune = statement(
  'ads_stats_jobs_prune',
  {},
  `delete from ads_stats_job where status <> 'PROCESSING' and updated_at < $1`,
)

import { type RowOf, statement } from '../../storage/statement.ts'

// The commit does not wait for the disk. The log on disk is written in order: whatever the command commits and waits for is stored
// after this entry, so a crash loses the entry only together with all that was done.
export const auditBegin = statement(
  'audit_begin',
  { id: 'int8' },
  `insert into audit_entry (happened_at, recorded_at, actor, name, arguments)
   select $1::timestamptz, $2::timestamptz, $3::text, $4::text, $5::jsonb where set_config('synchronous_commit', 'off', true) = 'off' returning id`,
)
export const auditEnd = statement(
  'audit_end',
  {},
  'update audit_entry set outcome = $2, status = $3, result = $4 where id = $1',
)

const columns = {
  id: 'int8',
  happened_at: 'timestamptz',
  recorded_at: 'timestamptz',
  actor: 'text',
  name: 'text',
  arguments: 'jsonb',
  outcome: 'text',
  status: 'int4?',
  result: 'jsonb?',
} as const
export type AuditRow = RowOf<typeof columns>
const names = Object.keys(columns).join(', ')

/** Entries before `$1`, the newest first; of the outcome `$3` and the actor `$4` where they are given. */
const page = (where: string) =>
  `select ${names} from audit_entry where ${where} and id < $1 and ($3::text is null or outcome = $3) and ($4::text is null or actor = $4)
    order by id desc limit $2`
export const auditPage = statement('audit_page', columns, page('true'))
export const auditOfName = statement('audit_of_name', columns, page('name = $5'))

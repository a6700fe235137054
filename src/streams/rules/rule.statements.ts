import { statement } from '../../storage/statement.ts'

const columns = { id: 'int8', value: 'text', tag: 'text?' } as const

/** Serializes changes to the rules of one project, because the cap counts all its apps. */
export const projectLock = statement(
  'stream_rule_project_lock',
  { id: 'int8' },
  'select id from project where id = $1 for no key update',
)

/** The rules of an app after an id, oldest first. */
export const rulesAfter = statement(
  'stream_rules_after',
  columns,
  'select id, value, tag from stream_rule where app_id = $1 and product = $2 and id > $3 order by id limit $4',
)
/** The same, limited to some ids. */
export const rulesOfIdsAfter = statement(
  'stream_rules_of_ids_after',
  columns,
  `select id, value, tag from stream_rule
    where app_id = $1 and product = $2 and id > $3 and id = any($5::bigint[]) order by id limit $4`,
)

const named = { id: 'int8', value: 'text' } as const

export const rulesOfValues = statement(
  'stream_rules_of_values',
  named,
  `select r.id, r.value from unnest($3::text[]) as given (value)
     join stream_rule r on r.app_id = $1 and r.product = $2 and md5(r.value) = md5(given.value) and r.value = given.value`,
)
/** The rules with these ids or values, each once. */
export const rulesOfNames = statement(
  'stream_rules_of_names',
  named,
  `select r.id, r.value from stream_rule r where r.app_id = $1 and r.product = $2 and r.id = any($3::bigint[])
   union
   select r.id, r.value from unnest($4::text[]) as given (value)
     join stream_rule r on r.app_id = $1 and r.product = $2 and md5(r.value) = md5(given.value) and r.value = given.value`,
)

export const rulesAdd = statement(
  'stream_rules_add',
  {},
  `insert into stream_rule (id, app_id, product, value, tag, created_at)
   select r.id, $1, $2, r.value, r.tag, $6
     from unnest($3::bigint[], $4::text[], $5::text[]) as r (id, value, tag)`,
)
export const rulesRemove = statement(
  'stream_rules_remove',
  {},
  'delete from stream_rule where app_id = $1 and product = $2 and id = any($3::bigint[])',
)
export const rulesRemoveAll = statement(
  'stream_rules_remove_all',
  {},
  'delete from stream_rule where app_id = $1 and product = $2',
)

export const rulesOfProject = statement(
  'stream_rules_of_project',
  { count: 'int4' },
  `select count(*)::int as count from stream_rule r join client_app a on a.id = r.app_id
    where a.project_id = $1 and r.product = $2`,
)
/** How many rules each app of a project has, including apps without rules. */
export const rulesOfProjectApps = statement(
  'stream_rules_of_project_apps',
  { app_id: 'int8', count: 'int4' },
  `select a.id as app_id, count(r.id)::int as count
     from client_app a left join stream_rule r on r.app_id = a.id and r.product = $2
    where a.project_id = $1 group by a.id order by a.id`,
)

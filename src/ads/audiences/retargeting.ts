import { cutText } from '../../process/cut-text.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { WriteContext } from '../kit/entity.ts'
import { toBase36 } from '../kit/values.ts'
import { appEventTags } from '../measurement/app-event-tag.entity.ts'
import { webEventTags } from '../measurement/web-event-tag.entity.ts'

// An account that gave the name to another audience already has none for the tag.
const audiencesAdd = statement(
  'ads_tag_audiences_add',
  {},
  `insert into ads_custom_audience (id, account_id, name, audience_type, tag_id, due_at, created_at, updated_at)
   select k.id, $1, k.name, $2, k.tag_id, $3, $3, $3 from unnest($4::bigint[], $5::bigint[], $6::text[]) as k (id, tag_id, name)
    where not exists (select from ads_custom_audience a where a.tag_id = k.tag_id and not a.deleted)
   on conflict do nothing`,
)
const visitorsRemove = statement(
  'ads_tag_visitors_remove',
  {},
  'delete from ads_tag_visitor where tag_id = any($1::bigint[])',
)
// The next run removes the members, of deleted ones with the rest.
const audiencesEnd = statement(
  'ads_tag_audiences_end',
  {},
  `update ads_custom_audience set due_at = $3, revision = revision + 1, deleted = $2::bool, updated_at = $3
    where tag_id = any($1::bigint[]) and not deleted`,
)

const LONGEST_NAME = 255

interface TagChange {
  kind: 'create' | 'update' | 'delete'
  record: { id: string; retargeting_enabled: boolean }
  context: Pick<WriteContext, 'runtime' | 'account' | 'now'>
}

/** Makes, empties and deletes the audiences of event tags. */
async function keepAudiences<C extends TagChange>(
  tx: Tx,
  changes: readonly C[],
  type: 'WEB' | 'MOBILE_AUDIENCE',
  nameOf: (record: C['record']) => string,
): Promise<void> {
  const { runtime, account, now } = changes[0]!.context
  const idsOf = (fits: (change: C) => boolean) => changes.filter(fits).map((change) => change.record.id)
  const enabled = changes.filter(({ kind, record }) => kind !== 'delete' && record.retargeting_enabled)
  const disabled = idsOf(({ kind, record }) => kind === 'update' && !record.retargeting_enabled)
  const deleted = idsOf(({ kind }) => kind === 'delete')
  if (enabled.length > 0)
    await audiencesAdd.count(
      tx,
      account.id,
      type,
      now,
      enabled.map(() => runtime.ids.next()),
      enabled.map(({ record }) => record.id),
      enabled.map(({ record }) => {
        const end = ` (${toBase36(record.id)})`
        return cutText(nameOf(record), LONGEST_NAME - end.length) + end
      }),
    )
  if (disabled.length + deleted.length === 0) return
  await visitorsRemove.count(tx, [...disabled, ...deleted])
  if (disabled.length > 0) await audiencesEnd.count(tx, disabled, false, now)
  if (deleted.length > 0) await audiencesEnd.count(tx, deleted, true, now)
}

webEventTags.afterChange((tx, changes) =>
  keepAudiences(tx, changes, 'WEB', (record) => `Website visitors: ${record.name}`),
)
appEventTags.afterChange((tx, changes) =>
  keepAudiences(tx, changes, 'MOBILE_AUDIENCE', (record) => `App activity: ${record.provider_app_event_name}`),
)

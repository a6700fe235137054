import type { Invalidate } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { Allowlist } from '../kit/access.ts'

const enrolmentSet = statement(
  'ads_enrolment_set',
  {},
  `insert into ads_enrolment (app_id, level, allowlists) values ($1, $2, $3::text[])
   on conflict (app_id) do update set level = excluded.level, allowlists = excluded.allowlists`,
)
const enrolmentEnd = statement('ads_enrolment_end', {}, 'delete from ads_enrolment where app_id = $1')

/** The access of an app to the advertising interface. */
export interface Enrolment {
  level: 'standard' | 'conversion-only' | 'none'
  allowlists: readonly Allowlist[]
}

/** Sets or removes the access of an app. */
export async function enrolApp(tx: Tx, invalidate: Invalidate, appId: string, enrolment: Enrolment): Promise<void> {
  if (enrolment.level === 'none') await enrolmentEnd.count(tx, appId)
  else await enrolmentSet.count(tx, appId, enrolment.level, [...enrolment.allowlists])
  invalidate('app', appId)
}

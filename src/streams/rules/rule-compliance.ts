import type { Caller } from '../../api-kit/declaring/caller.ts'
import { capOf } from '../../identity/tier-caps.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const rulesBeyond = statement(
  'stream_rules_beyond',
  { too_long: 'int4', of_project: 'int4' },
  `select (select count(*)::int from stream_rule where app_id = $1 and product = 'filtered' and char_length(value) > $3) as too_long,
          (select count(*)::int from stream_rule r join client_app a on a.id = r.app_id
            where a.project_id = $2 and r.product = 'filtered') as of_project`,
)

/** The caller as far as the limits of its rules depend on it. */
type RuleOwner = { app: Pick<Caller['app'], 'id' | 'tier' | 'projectId'> }

/** What the stored rules of the filtered stream exceed, in words. Rules can exceed a limit only after the app's tier was lowered. */
export async function findRuleExcess(
  db: Db,
  caller: RuleOwner,
): Promise<{ tooLong: string | undefined; tooMany: string | undefined }> {
  const { id, tier, projectId } = caller.app
  const [longest, most] = [capOf(caller, 'stream_rule_length'), capOf(caller, 'stream_rules')]
  const found = await rulesBeyond.first(db, id, projectId, longest)
  const [long, count] = [found?.too_long ?? 0, found?.of_project ?? 0]
  return {
    tooLong:
      long === 0 ? undefined : `${long} of the rules have more than the ${longest} characters of the tier ${tier}.`,
    tooMany: count <= most ? undefined : `The project has ${count} rules, but the tier ${tier} includes ${most}.`,
  }
}

import { nullable, Type } from '../../api-kit/declaring/schema.ts'
import { statement } from '../../storage/statement.ts'
import { lineItemServes } from '../campaigns/serving-blocks.ts'
import { idCursor } from '../kit/cursor.ts'
import { defineAdsOperation, optional } from '../kit/operation.ts'
import { wholeSecond } from '../kit/times.ts'
import { flagKind, toBase36 } from '../kit/values.ts'
import { audiencePath, findReached } from './reached-audience.entity.ts'

const PAGE = 200
const cursor = idCursor('campaign')

const targetedBy = statement(
  'ads_audience_targeted_by',
  { campaign_id: 'int8', campaign_name: 'text', line_items: 'jsonb' },
  `with item as (
     select l.id, l.name, l.campaign_id, c.name as campaign_name,
            ${lineItemServes('l.id', '$3')} as servable
       from ads_line_item l
       join ads_campaign c on c.id = l.campaign_id and not c.deleted
      where l.account_id = $1 and not l.deleted and l.campaign_id > $5
        and l.id in (select t.line_item_id from ads_targeting_criterion t
                      where t.value_id = $2 and t.targeting_type in ('CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED') and t.account_id = $1
                        and t.operator_type = 'EQ' and not t.deleted)
   )
   select campaign_id, campaign_name, jsonb_agg(jsonb_build_object('id', id::text, 'name', name, 'servable', servable) order by id) as line_items
     from item where servable or not $4::bool
    group by campaign_id, campaign_name order by campaign_id limit $6`,
)

const LineItem = Type.Object({ id: Type.String(), name: nullable(Type.String()), servable: Type.Boolean() })

/** The campaigns of the account that target an audience. */
export const targetedByOperation = defineAdsOperation({
  id: 'listCustomAudienceTargeting',
  route: 'GET /12/accounts/{account_id}/custom_audiences/{custom_audience_id}/targeted',
  tag: 'Targeted Audiences',
  summary: 'List the campaigns and line items that target a custom audience',
  path: audiencePath('custom_audience_id'),
  params: {
    with_active: optional(flagKind, { initial: true }),
    cursor: optional(cursor),
  },
  data: Type.Object({
    campaign_id: Type.String(),
    campaign_name: Type.String(),
    line_items: Type.Array(LineItem),
  }),
  envelope: 'list',
  may: 'see audiences',
  handle: async (input) => {
    const { runtime, account, params } = input
    const audience = await findReached(input)
    const rows = await targetedBy.all(
      runtime.database,
      account.id,
      audience.id,
      wholeSecond(runtime.clock.now()),
      params.with_active!,
      params.cursor ?? '0',
      PAGE + 1,
    )
    const page = rows.slice(0, PAGE)
    return {
      data: page.map((row) => ({
        campaign_id: toBase36(row.campaign_id),
        campaign_name: row.campaign_name,
        line_items: (row.line_items as { id: string; name: string | null; servable: boolean }[]).map((item) => ({
          ...item,
          id: toBase36(item.id),
        })),
      })),
      next_cursor: cursor.after(rows.length > PAGE ? page.at(-1)?.campaign_id : undefined),
    }
  },
})

import type { AdsOperation } from '../ads/kit/operation.ts'
import { adsOperations } from '../ads/operations.ts'
import { pathNames } from '../api-kit/describing/openapi.ts'
import { inputSchemaOf, type ToolInputSchema } from './tool-schema.ts'

/** A tool of the advertising interface: one of its operations, called as the user of the token. */
export interface AdsTool {
  name: string
  title: string
  description: string
  scope: 'ads.read' | 'ads.write'
  operation: AdsOperation
  /** Values that the tool sets; they are not among its arguments. */
  sets: Readonly<Record<string, unknown>>
  inputSchema: ToolInputSchema
  annotations: {
    title: string
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

interface Row {
  name: string
  route: string
  description: string
  sets?: Record<string, unknown>
  /** The arguments, where they are fewer than the parameters of the route. */
  only?: readonly string[]
}

const ACCOUNT = '/12/accounts/{account_id}'
const MONEY = 'Amounts are in millionths of the currency unit.'

/** The tools in the order of the platform's list. */
const ROWS: readonly Row[] = [
  {
    name: 'list_ads_accounts',
    route: 'GET /12/accounts',
    description: 'List the ad accounts that the user can access. Other tools take the id of one as account_id.',
  },
  { name: 'list_campaigns', route: `GET ${ACCOUNT}/campaigns`, description: `List campaigns of an account. ${MONEY}` },
  {
    name: 'get_campaign',
    route: `GET ${ACCOUNT}/campaigns/{campaign_id}`,
    description: `Get a campaign with its budget, its status and why it does not serve. ${MONEY}`,
  },
  {
    name: 'list_line_items',
    route: `GET ${ACCOUNT}/line_items`,
    description: `List line items of an account, which hold objective, bid, placements and flight dates. ${MONEY}`,
  },
  {
    name: 'list_funding_instruments',
    route: `GET ${ACCOUNT}/funding_instruments`,
    description: `List what campaigns of an account can be paid from. ${MONEY}`,
  },
  {
    name: 'list_promoted_posts',
    route: `GET ${ACCOUNT}/promoted_posts`,
    description: 'List which posts the line items of an account promote.',
  },
  {
    name: 'list_targeting_criteria',
    route: `GET ${ACCOUNT}/targeting_criteria`,
    description: 'List the targeting criteria of line items.',
  },
  {
    name: 'list_account_posts',
    route: `GET ${ACCOUNT}/posts`,
    description: 'List posts of the promotable users of an account, such as candidates for promotion.',
  },
  {
    name: 'get_active_entities',
    route: 'GET /12/stats/accounts/{account_id}/active_entities',
    description: 'List the entities whose numbers changed in a period: those worth reading statistics of.',
  },
  {
    name: 'get_account_stats',
    route: 'GET /12/stats/accounts/{account_id}',
    description: 'Read statistics of up to 20 entities over up to 7 days, by hour, by day or in total.',
  },
  {
    name: 'get_campaign_reach',
    route: 'GET /12/stats/accounts/{account_id}/reach/campaigns',
    description: 'Read how many distinct people campaigns reached, and how often on average.',
  },
  {
    name: 'search_targeting_interests',
    route: 'GET /12/targeting_criteria/interests',
    description: 'Search interests that line items can target.',
  },
  {
    name: 'search_targeting_locations',
    route: 'GET /12/targeting_criteria/locations',
    description: 'Search places that line items can target.',
  },
  {
    name: 'create_campaign',
    route: `POST ${ACCOUNT}/campaigns`,
    description: `Create a campaign. It starts PAUSED and spends nothing until activate_campaign. ${MONEY}`,
    sets: { entity_status: 'PAUSED' },
  },
  {
    name: 'update_campaign',
    route: `PUT ${ACCOUNT}/campaigns/{campaign_id}`,
    description: `Change a campaign: only the given members change. ${MONEY}`,
  },
  {
    name: 'activate_campaign',
    route: `PUT ${ACCOUNT}/campaigns/{campaign_id}`,
    description: 'Set a campaign to ACTIVE. From then on it can spend money.',
    sets: { entity_status: 'ACTIVE' },
    only: ['account_id', 'campaign_id'],
  },
  {
    name: 'create_line_item',
    route: `POST ${ACCOUNT}/line_items`,
    description: `Create a line item in a campaign. It starts PAUSED and spends nothing until activate_line_item. ${MONEY}`,
    sets: { entity_status: 'PAUSED' },
  },
  {
    name: 'update_line_item',
    route: `PUT ${ACCOUNT}/line_items/{line_item_id}`,
    description: `Change a line item: only the given members change. ${MONEY}`,
  },
  {
    name: 'activate_line_item',
    route: `PUT ${ACCOUNT}/line_items/{line_item_id}`,
    description: 'Set a line item to ACTIVE. From then on it can spend money, if its campaign is active.',
    sets: { entity_status: 'ACTIVE' },
    only: ['account_id', 'line_item_id'],
  },
  {
    name: 'add_targeting_criterion',
    route: `POST ${ACCOUNT}/targeting_criteria`,
    description: 'Add a targeting criterion to a line item.',
  },
  {
    name: 'remove_targeting',
    route: `DELETE ${ACCOUNT}/targeting_criteria/{targeting_criterion_id}`,
    description: 'Remove a targeting criterion from its line item.',
  },
  {
    name: 'create_ad_post',
    route: `POST ${ACCOUNT}/post`,
    description: 'Create a post that is seen only where it is promoted: it is not on the profile of its author.',
    sets: { nullcast: true },
  },
  {
    name: 'promote_post',
    route: `POST ${ACCOUNT}/promoted_posts`,
    description: 'Promote posts with a line item.',
  },
]

let made: ReadonlyMap<string, AdsTool> | undefined

/** All tools by name. Made on first use: most processes never need them. */
export function adsTools(): ReadonlyMap<string, AdsTool> {
  made ??= new Map(ROWS.flatMap((row) => toolOf(row)).map((tool) => [tool.name, tool]))
  return made
}

function toolOf(row: Row): AdsTool[] {
  const operation = adsOperations.find(({ method, path }) => `${method} ${path}` === row.route)
  // Its operation is not built yet.
  if (!operation) return []
  const reads = operation.method === 'GET'
  const title = titleOf(row.name)
  const sets = row.sets ?? {}
  const names = [...pathNames(operation.path), ...Object.keys(operation.params)]
  const shown = row.only ?? names.filter((name) => !Object.hasOwn(sets, name))
  return [
    {
      name: row.name,
      title,
      description: row.description,
      scope: reads ? 'ads.read' : 'ads.write',
      operation,
      sets,
      inputSchema: inputSchemaOf(operation, shown),
      annotations: {
        title,
        readOnlyHint: reads,
        // What changes or removes something that is there; creating adds to it.
        destructiveHint: !reads && operation.method !== 'POST',
        idempotentHint: operation.method !== 'POST',
        openWorldHint: false,
      },
    },
  ]
}

const titleOf = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`

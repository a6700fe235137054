import { widenToFullSets } from '../categories/business-categories.data.ts'
import { isIabCategory } from '../categories/iab-categories.data.ts'
import type { RecordsOf } from '../kit/entity.ts'
import {
  AdsError,
  featureNotAvailable,
  inclusiveParameters,
  invalidParameter,
  missingParameter,
  windowErrors,
} from '../kit/errors.ts'
import { budgetErrors } from './budgets.ts'
import type { campaigns } from './campaign.entity.ts'
import type { LineItem, LineItemContext, LineItemDraft } from './line-item.fields.ts'
import {
  ALL_PLACEMENTS,
  GOAL_PAY_BY,
  type Goal,
  OBJECTIVE_FACTS,
  type PayBy,
  PLACEMENT_COMBINATIONS,
} from './objectives.data.ts'

const factsOf = (draft: LineItemDraft) => OBJECTIVE_FACTS[draft.objective]

/** The goal of a new line item for which none was sent. */
export const initialGoal = (draft: LineItemDraft): Goal => factsOf(draft).goals[0]!

/** AUTO without a bid; with a bid, the strategy that the objective allows. */
export function initialBidStrategy(draft: LineItemDraft): 'AUTO' | 'MAX' | 'TARGET' {
  if (draft.bid_amount_local_micro === null) return 'AUTO'
  return factsOf(draft).bidStrategies.includes('MAX') ? 'MAX' : 'TARGET'
}

/** What is paid for when nothing was chosen: depends on the goal and the bid strategy. */
export const derivedPayBy = (draft: LineItemDraft): PayBy => payByChoices(draft)[0]!

/** What is paid for when a request does not say: as before, if that fits the goal and the bid strategy. */
export function keptPayBy(draft: LineItemDraft, before: LineItem | undefined): PayBy {
  const previous = before?.pay_by
  return previous !== undefined && payByChoices(draft).includes(previous) ? previous : derivedPayBy(draft)
}

const payByChoices = ({ goal, bid_strategy: strategy }: LineItemDraft): readonly PayBy[] =>
  goal === 'LINK_CLICKS' && strategy === 'TARGET' ? ['LINK_CLICK'] : GOAL_PAY_BY[goal]

/** Every rule about a line item as it will be stored. */
export function lineItemErrors(draft: LineItemDraft, context: LineItemContext): AdsError[] {
  const campaign = context.parents.campaign_id
  return [
    ...(context.isCreate ? [...objectiveErrors(draft, context), ...placementErrors(draft, context)] : []),
    ...goalErrors(draft, context),
    ...biddingErrors(draft, context),
    ...payByErrors(draft, context),
    ...frequencyErrors(draft, context),
    ...windowErrors(draft.start_time, draft.end_time),
    ...categoryErrors(draft, context),
    ...advertiserErrors(draft, context),
    ...budgetErrors(draft, campaign.currency, context.given),
    ...campaignBudgetErrors(draft, campaign, context),
  ]
}

function objectiveErrors({ objective, product_type }: LineItemDraft, { account }: LineItemContext): AdsError[] {
  const facts = OBJECTIVE_FACTS[objective]
  const errors: AdsError[] = []
  if (product_type !== facts.productType)
    errors.push(invalidParameter('product_type', `must be ${facts.productType} with this objective`, product_type))
  if (objective === 'PREROLL_VIEWS' && !account.features.has('PREROLL_VIEWS_OBJECTIVE'))
    errors.push(featureNotAvailable('PREROLL_VIEWS_OBJECTIVE', 'objective'))
  return errors
}

function placementErrors(
  { objective, product_type, placements }: LineItemDraft,
  { account }: LineItemContext,
): AdsError[] {
  const given = new Set<string>(placements)
  const isAllowed = PLACEMENT_COMBINATIONS[product_type].some(
    (set) => set.length === given.size && set.every((item) => given.has(item)),
  )
  if (!isAllowed)
    return [
      new AdsError('INVALID_PLACEMENT_TYPE', 'The placements cannot be bought together with this product type', {
        parameter: 'placements',
        details: 'line_items/placements lists the allowed combinations',
        value: placements,
      }),
    ]
  const errors: AdsError[] = []
  if (objective === 'REACH' && !given.has('PLATFORM_TIMELINE') && !given.has(ALL_PLACEMENTS))
    errors.push(
      new AdsError('INVALID_PLACEMENT_TYPE', 'The placements do not fit the objective', {
        parameter: 'placements',
        details: `REACH needs PLATFORM_TIMELINE or ${ALL_PLACEMENTS}`,
      }),
    )
  const feature = OBJECTIVE_FACTS[objective].network
  if (
    placements.some((item) => item === 'PUBLISHER_NETWORK' || item.startsWith('TAP_')) &&
    !account.features.has(feature)
  )
    errors.push(featureNotAvailable(feature, 'placements'))
  return errors
}

function goalErrors(draft: LineItemDraft, { given, isCreate }: LineItemContext): AdsError[] {
  const { goals } = factsOf(draft)
  if (!goals.includes(draft.goal))
    return [invalidParameter('goal', `must be one of ${goals.join(', ')} with this objective`, draft.goal)]
  if (draft.goal === 'WEBSITE_CONVERSIONS' && draft.primary_web_event_tag === null && (isCreate || given.has('goal')))
    return [missingParameter('primary_web_event_tag', 'is required with the goal WEBSITE_CONVERSIONS')]
  return []
}

function biddingErrors(draft: LineItemDraft, { isCreate, given }: LineItemContext): AdsError[] {
  const { objective, bid_strategy: strategy } = draft
  // The objective FOLLOWERS can have the strategy TARGET from its creation on, but not by an update.
  const strategies = factsOf(draft).bidStrategies.filter(
    (item) => isCreate || !given.has('bid_strategy') || item !== 'TARGET' || objective !== 'FOLLOWERS',
  )
  if (!strategies.includes(strategy))
    return [invalidParameter('bid_strategy', `must be one of ${strategies.join(', ')} with this objective`, strategy)]
  if (strategy !== 'AUTO' && draft.bid_amount_local_micro === null)
    return [missingParameter('bid_amount_local_micro', `is required with the bid strategy ${strategy}`)]
  return []
}

function payByErrors(draft: LineItemDraft, { given, isCreate, before }: LineItemContext): AdsError[] {
  const { objective, goal, pay_by: payBy } = draft
  // A value that would result anyway is allowed.
  if (!given.has('pay_by') || payBy === keptPayBy(draft, before)) return []
  const choices = payByChoices(draft)
  if (!isCreate && objective !== 'APP_INSTALLS')
    return [invalidParameter('pay_by', 'can only be changed for APP_INSTALLS line items', payBy)]
  if (objective !== 'APP_INSTALLS' && goal !== 'LINK_CLICKS')
    return [
      invalidParameter('pay_by', 'can only be chosen for APP_INSTALLS line items and for the goal LINK_CLICKS', payBy),
    ]
  if (!choices.includes(payBy))
    return [invalidParameter('pay_by', `must be one of ${choices.join(', ')} with this goal and bid strategy`, payBy)]
  return []
}

function frequencyErrors(draft: LineItemDraft, { account, given }: LineItemContext): AdsError[] {
  const { objective, frequency_cap: cap, duration_in_days: days } = draft
  if (cap === null && days === null) return []
  if (!factsOf(draft).frequencyCap)
    return [
      invalidParameter(
        'frequency_cap',
        'may only be sent with the objectives REACH, ENGAGEMENTS, VIDEO_VIEWS and PREROLL_VIEWS',
        cap,
      ),
    ]
  if (cap === null || days === null)
    return [
      inclusiveParameters(
        cap === null ? 'frequency_cap' : 'duration_in_days',
        'frequency_cap and duration_in_days are required together',
      ),
    ]
  return objective === 'REACH' && given.has('frequency_cap') && !account.features.has('REACH_FREQUENCY_CAP')
    ? [featureNotAvailable('REACH_FREQUENCY_CAP', 'frequency_cap')]
    : []
}

function categoryErrors(draft: LineItemDraft, { given, isCreate }: LineItemContext): AdsError[] {
  const onNetwork = draft.placements.includes('PUBLISHER_NETWORK')
  const isPreroll = draft.objective === 'PREROLL_VIEWS'
  if (!draft.categories?.length) {
    if (onNetwork) return [missingParameter('categories', 'is required with the placement PUBLISHER_NETWORK')]
    return isPreroll ? [missingParameter('categories', 'is required with the objective PREROLL_VIEWS')] : []
  }
  if (!(isCreate || given.has('categories'))) return []
  const unlisted = draft.categories.filter((code) => !isIabCategory(code))
  if (unlisted.length > 0) return [invalidCategory('There is no such content category', unlisted)]
  if (!isPreroll) return []
  const { sets, unknown } = widenToFullSets(draft.categories)
  if (unknown.length > 0)
    return [invalidCategory('The content category does not belong to an advertiser business category', unknown)]
  return sets > 2 ? [invalidParameter('categories', 'must belong to one or two advertiser business categories')] : []
}

const invalidCategory = (message: string, codes: string[]): AdsError =>
  new AdsError('INVALID_IAB_CATEGORY', message, { parameter: 'categories', value: codes.join(',') })

function advertiserErrors(draft: LineItemDraft, { given, allowlists }: LineItemContext): AdsError[] {
  const errors: AdsError[] = []
  if (draft.placements.includes('PUBLISHER_NETWORK') && draft.advertiser_domain === null)
    errors.push(missingParameter('advertiser_domain', 'is required with the placement PUBLISHER_NETWORK'))
  if (
    ['APP_INSTALLS', 'APP_ENGAGEMENTS'].includes(draft.objective) &&
    draft.platform_a_app_store_identifier === null &&
    draft.platform_b_app_store_identifier === null
  )
    errors.push(
      missingParameter(
        'platform_a_app_store_identifier',
        'APP_INSTALLS and APP_ENGAGEMENTS need at least one app store identifier',
      ),
    )
  if (given.has('advertiser_user_id') && draft.advertiser_user_id !== null) {
    if (draft.objective !== 'PREROLL_VIEWS')
      errors.push(invalidParameter('advertiser_user_id', 'may only be sent with the objective PREROLL_VIEWS'))
    else if (!allowlists.has('advertiser_user'))
      errors.push(
        new AdsError('UNAUTHORIZED_CLIENT_APPLICATION', 'The client application may not use this parameter', {
          parameter: 'advertiser_user_id',
          details: 'the app is not on the allowlist advertiser_user',
        }),
      )
  }
  return errors
}

function campaignBudgetErrors(
  draft: LineItemDraft,
  campaign: RecordsOf<typeof campaigns>,
  { given }: LineItemContext,
): AdsError[] {
  const total = draft.total_budget_amount_local_micro
  const most = campaign.total_budget_amount_local_micro
  return given.has('total_budget_amount_local_micro') && total !== null && most !== null && total > most
    ? [invalidParameter('total_budget_amount_local_micro', 'must not exceed the total budget of the campaign', total)]
    : []
}

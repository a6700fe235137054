import { widenToFullSets } from '../categories/business-categories.data.ts'
import { isIabCategory } from '../categories/iab-categories.data.ts'
import type { RecordsOf } from '../kit/entity.ts'
import {
  AdsError,
  featureNotAvailable,
  inclusiveParameters,
  invalidParameter,
  missingParameter,
  notFound,
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
  type Objective,
  type PayBy,
  PLACEMENT_COMBINATIONS,
  type ProductType,
} from './objectives.data.ts'

const factsOf = (draft: LineItemDraft) => OBJECTIVE_FACTS[draft.objective as Objective]

/** The goal of a line item that was given none. */
export const initialGoal = (draft: LineItemDraft): Goal => factsOf(draft).goals[0]!

/** Automatic unless there is a bid, which the strategy of the objective then goes by. */
export function initialBidStrategy(draft: LineItemDraft): 'AUTO' | 'MAX' | 'TARGET' {
  if (draft.bid_amount_local_micro === null) return 'AUTO'
  return factsOf(draft).bidStrategies.includes('MAX') ? 'MAX' : 'TARGET'
}

/** What is paid for where nothing was chosen: follows from goal and bidding. */
export const derivedPayBy = (draft: LineItemDraft): PayBy => payByChoices(draft)[0]!

/** What is paid for where a request does not say: what was, as long as it fits goal and bidding. */
export function keptPayBy(draft: LineItemDraft, before: LineItem | undefined): PayBy {
  const was = before?.pay_by
  return was !== undefined && payByChoices(draft).includes(was) ? was : derivedPayBy(draft)
}

const payByChoices = ({ goal, bid_strategy: strategy }: LineItemDraft): readonly PayBy[] =>
  goal === 'LINK_CLICKS' && strategy === 'TARGET' ? ['LINK_CLICK'] : GOAL_PAY_BY[goal as Goal]

/** Every rule about a line item as it will be. */
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
  const facts = OBJECTIVE_FACTS[objective as Objective]
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
  const isAllowed = PLACEMENT_COMBINATIONS[product_type as ProductType].some(
    (set) => set.length === given.size && set.every((item) => given.has(item)),
  )
  if (!isAllowed)
    return [
      new AdsError('INVALID_PLACEMENT_TYPE', 'The placements can not be bought together with this product type', {
        parameter: 'placements',
        details: 'the allowed combinations are listed by line_items/placements',
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
  const feature = OBJECTIVE_FACTS[objective as Objective].network
  if (
    placements.some((item: string) => item === 'PUBLISHER_NETWORK' || item.startsWith('TAP_')) &&
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
    return [missingParameter('primary_web_event_tag', 'is needed with the goal WEBSITE_CONVERSIONS')]
  // No account can have tags before the measurement part is there.
  return isCreate && draft.primary_web_event_tag !== null
    ? [notFound('WEB_EVENT_TAG_NOT_FOUND', 'primary_web_event_tag', draft.primary_web_event_tag)]
    : []
}

function biddingErrors(draft: LineItemDraft, { isCreate, given }: LineItemContext): AdsError[] {
  const { objective, bid_strategy: strategy } = draft
  // Followers can be bid for by target only from the beginning on.
  const strategies = factsOf(draft).bidStrategies.filter(
    (item) => isCreate || !given.has('bid_strategy') || item !== 'TARGET' || objective !== 'FOLLOWERS',
  )
  if (!strategies.includes(strategy))
    return [invalidParameter('bid_strategy', `must be one of ${strategies.join(', ')} with this objective`, strategy)]
  if (strategy !== 'AUTO' && draft.bid_amount_local_micro === null)
    return [missingParameter('bid_amount_local_micro', `is needed with the bid strategy ${strategy}`)]
  return []
}

function payByErrors(draft: LineItemDraft, { given, isCreate, before }: LineItemContext): AdsError[] {
  const { objective, goal, pay_by: payBy } = draft
  // Saying what would be anyway chooses nothing.
  if (!given.has('pay_by') || payBy === keptPayBy(draft, before)) return []
  const choices = payByChoices(draft)
  const isChoosable = objective === 'APP_INSTALLS' || (isCreate && goal === 'LINK_CLICKS')
  if (!isChoosable)
    return [
      invalidParameter('pay_by', 'can be chosen for APP_INSTALLS line items and for the goal LINK_CLICKS only', payBy),
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
        'goes with the objectives REACH, ENGAGEMENTS, VIDEO_VIEWS and PREROLL_VIEWS only',
        cap,
      ),
    ]
  if (cap === null || days === null)
    return [
      inclusiveParameters(
        cap === null ? 'frequency_cap' : 'duration_in_days',
        'frequency_cap and duration_in_days are needed together',
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
    if (onNetwork) return [missingParameter('categories', 'is needed with the placement PUBLISHER_NETWORK')]
    return isPreroll ? [missingParameter('categories', 'is needed with the objective PREROLL_VIEWS')] : []
  }
  if (!(isCreate || given.has('categories'))) return []
  const invented = draft.categories.filter((code: string) => !isIabCategory(code))
  if (invented.length > 0) return [invalidCategory('There is no such content category', invented)]
  if (!isPreroll) return []
  const { sets, unknown } = widenToFullSets(draft.categories)
  if (unknown.length > 0)
    return [invalidCategory('The content category belongs to no advertiser business category', unknown)]
  return sets > 2 ? [invalidParameter('categories', 'must belong to one or two advertiser business categories')] : []
}

const invalidCategory = (message: string, codes: string[]): AdsError =>
  new AdsError('INVALID_IAB_CATEGORY', message, { parameter: 'categories', value: codes.join(',') })

function advertiserErrors(draft: LineItemDraft, { given, allowlists }: LineItemContext): AdsError[] {
  const errors: AdsError[] = []
  if (draft.placements.includes('PUBLISHER_NETWORK') && draft.advertiser_domain === null)
    errors.push(missingParameter('advertiser_domain', 'is needed with the placement PUBLISHER_NETWORK'))
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
      errors.push(invalidParameter('advertiser_user_id', 'goes with the objective PREROLL_VIEWS only'))
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

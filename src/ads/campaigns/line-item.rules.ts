import { widenToFullSets } from '../categories/business-categories.data.ts'
import { isIabCategory } from '../categories/iab-categories.data.ts'
import type { Loose, WriteContext } from '../kit/entity.ts'
import {
  type AdsFault,
  featureNotAvailable,
  inclusiveParameters,
  invalidParameter,
  missingParameter,
  notFound,
  windowFaults,
} from '../kit/faults.ts'
import { budgetFaults } from './budgets.ts'
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

const factsOf = (draft: Loose) => OBJECTIVE_FACTS[draft.objective as Objective]

/** The goal of a line item that was given none. */
export const initialGoal = (draft: Loose): Goal => factsOf(draft).goals[0]!

/** Automatic unless there is a bid, which the strategy of the objective then goes by. */
export function initialBidStrategy(draft: Loose): 'AUTO' | 'MAX' | 'TARGET' {
  if (draft.bid_amount_local_micro === null) return 'AUTO'
  return factsOf(draft).bidStrategies.includes('MAX') ? 'MAX' : 'TARGET'
}

/** What is paid for where nothing was chosen: follows from goal and bidding. */
export const derivedPayBy = (draft: Loose): PayBy => payByChoices(draft)[0]!

/** What is paid for where a request does not say: what was, as long as it fits goal and bidding. */
export function keptPayBy(draft: Loose, before: Loose | undefined): PayBy {
  const was = before?.pay_by as PayBy | undefined
  return was !== undefined && payByChoices(draft).includes(was) ? was : derivedPayBy(draft)
}

const payByChoices = ({ goal, bid_strategy: strategy }: Loose): readonly PayBy[] =>
  goal === 'LINK_CLICKS' && strategy === 'TARGET' ? ['LINK_CLICK'] : GOAL_PAY_BY[goal as Goal]

/** Every rule about a line item as it will be. */
export function lineItemFaults(draft: Loose, context: WriteContext): AdsFault[] {
  const campaign = context.parents.campaign_id!
  return [
    ...(context.isCreate ? [...objectiveFaults(draft, context), ...placementFaults(draft, context)] : []),
    ...goalFaults(draft, context),
    ...biddingFaults(draft, context),
    ...payByFaults(draft, context),
    ...frequencyFaults(draft, context),
    ...windowFaults(draft.start_time, draft.end_time),
    ...categoryFaults(draft, context),
    ...advertiserFaults(draft, context),
    ...budgetFaults(draft, campaign.currency, context.given),
    ...campaignBudgetFaults(draft, campaign, context),
  ]
}

function objectiveFaults({ objective, product_type }: Loose, { account }: WriteContext): AdsFault[] {
  const facts = OBJECTIVE_FACTS[objective as Objective]
  const faults: AdsFault[] = []
  if (product_type !== facts.productType)
    faults.push(invalidParameter('product_type', `must be ${facts.productType} with this objective`, product_type))
  if (objective === 'PREROLL_VIEWS' && !account.features.has('PREROLL_VIEWS_OBJECTIVE'))
    faults.push(featureNotAvailable('PREROLL_VIEWS_OBJECTIVE', 'objective'))
  return faults
}

function placementFaults({ objective, product_type, placements }: Loose, { account }: WriteContext): AdsFault[] {
  const given = new Set<string>(placements)
  const isAllowed = PLACEMENT_COMBINATIONS[product_type as ProductType].some(
    (set) => set.length === given.size && set.every((item) => given.has(item)),
  )
  if (!isAllowed)
    return [
      {
        code: 'INVALID_PLACEMENT_TYPE',
        message: 'The placements can not be bought together with this product type',
        parameter: 'placements',
        details: 'the allowed combinations are listed by line_items/placements',
        value: placements,
      },
    ]
  const faults: AdsFault[] = []
  if (objective === 'REACH' && !given.has('PLATFORM_TIMELINE') && !given.has(ALL_PLACEMENTS))
    faults.push({
      code: 'INVALID_PLACEMENT_TYPE',
      message: 'The placements do not fit the objective',
      parameter: 'placements',
      details: `REACH needs PLATFORM_TIMELINE or ${ALL_PLACEMENTS}`,
    })
  const feature = OBJECTIVE_FACTS[objective as Objective].network
  if (
    placements.some((item: string) => item === 'PUBLISHER_NETWORK' || item.startsWith('TAP_')) &&
    !account.features.has(feature)
  )
    faults.push(featureNotAvailable(feature, 'placements'))
  return faults
}

function goalFaults(draft: Loose, { given, isCreate }: WriteContext): AdsFault[] {
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

function biddingFaults(draft: Loose, { isCreate, given }: WriteContext): AdsFault[] {
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

function payByFaults(draft: Loose, { given, isCreate, before }: WriteContext): AdsFault[] {
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

function frequencyFaults(draft: Loose, { account, given }: WriteContext): AdsFault[] {
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

function categoryFaults(draft: Loose, { given, isCreate }: WriteContext): AdsFault[] {
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

const invalidCategory = (message: string, codes: string[]): AdsFault => ({
  code: 'INVALID_IAB_CATEGORY',
  message,
  parameter: 'categories',
  value: codes.join(','),
})

function advertiserFaults(draft: Loose, { given, allowlists }: WriteContext): AdsFault[] {
  const faults: AdsFault[] = []
  if (draft.placements.includes('PUBLISHER_NETWORK') && draft.advertiser_domain === null)
    faults.push(missingParameter('advertiser_domain', 'is needed with the placement PUBLISHER_NETWORK'))
  if (
    ['APP_INSTALLS', 'APP_ENGAGEMENTS'].includes(draft.objective) &&
    draft.platform_a_app_store_identifier === null &&
    draft.platform_b_app_store_identifier === null
  )
    faults.push(
      missingParameter(
        'platform_a_app_store_identifier',
        'APP_INSTALLS and APP_ENGAGEMENTS need at least one app store identifier',
      ),
    )
  if (given.has('advertiser_user_id') && draft.advertiser_user_id !== null) {
    if (draft.objective !== 'PREROLL_VIEWS')
      faults.push(invalidParameter('advertiser_user_id', 'goes with the objective PREROLL_VIEWS only'))
    else if (!allowlists.has('advertiser_user'))
      faults.push({
        code: 'UNAUTHORIZED_CLIENT_APPLICATION',
        message: 'The client application may not use this parameter',
        parameter: 'advertiser_user_id',
        details: 'the app is not on the allowlist advertiser_user',
      })
  }
  return faults
}

function campaignBudgetFaults(draft: Loose, campaign: Loose, { given }: WriteContext): AdsFault[] {
  const total = draft.total_budget_amount_local_micro
  const most = campaign.total_budget_amount_local_micro
  return given.has('total_budget_amount_local_micro') && total !== null && most !== null && total > most
    ? [invalidParameter('total_budget_amount_local_micro', 'must not exceed the total budget of the campaign', total)]
    : []
}

import { ADS_KEPT_NAMES } from '../../legacy-words.ts'

export const OBJECTIVES = [
  'APP_ENGAGEMENTS',
  'APP_INSTALLS',
  'REACH',
  'FOLLOWERS',
  'ENGAGEMENTS',
  'VIDEO_VIEWS',
  'PREROLL_VIEWS',
  'WEBSITE_CLICKS',
] as const
export type Objective = (typeof OBJECTIVES)[number]

export const GOALS = [
  'APP_CLICKS',
  'APP_INSTALLS',
  'APP_PURCHASES',
  'ENGAGEMENT',
  'FOLLOWERS',
  'LINK_CLICKS',
  'MAX_REACH',
  'PREROLL',
  'PREROLL_STARTS',
  'REACH_WITH_ENGAGEMENT',
  'SITE_VISITS',
  'VIDEO_VIEW',
  'VIEW_3S_100PCT',
  'VIEW_6S',
  'VIEW_15S',
  'WEBSITE_CONVERSIONS',
] as const
export type Goal = (typeof GOALS)[number]

export const PRODUCT_TYPES = ['MEDIA', 'PROMOTED_ACCOUNT', 'PROMOTED_POSTS'] as const
export type ProductType = (typeof PRODUCT_TYPES)[number]

/** The placement that stands for all of the platform's own. */
export const ALL_PLACEMENTS = ADS_KEPT_NAMES.allPlacements
export const PLACEMENTS = [
  ALL_PLACEMENTS,
  'PUBLISHER_NETWORK',
  'TAP_BANNER',
  'TAP_FULL',
  'TAP_FULL_LANDSCAPE',
  'TAP_NATIVE',
  'TAP_MRECT',
  'PLATFORM_PROFILE',
  'PLATFORM_REPLIES',
  'PLATFORM_SEARCH',
  'PLATFORM_TIMELINE',
] as const

/** What an objective allows. The first goal is the one of line items for which none is sent. */
interface ObjectiveFacts {
  productType: ProductType
  goals: readonly Goal[]
  bidStrategies: readonly ('AUTO' | 'MAX' | 'TARGET')[]
  frequencyCap: boolean
  /** The account feature that the publisher network needs: that of brand or that of direct response objectives. */
  network: 'BRAND_TPN' | 'DR_TAP'
}

export const OBJECTIVE_FACTS: Record<Objective, ObjectiveFacts> = {
  APP_ENGAGEMENTS: {
    productType: 'PROMOTED_POSTS',
    goals: ['APP_CLICKS', 'APP_INSTALLS'],
    bidStrategies: ['AUTO', 'MAX'],
    frequencyCap: false,
    network: 'DR_TAP',
  },
  APP_INSTALLS: {
    productType: 'PROMOTED_POSTS',
    goals: ['APP_INSTALLS', 'APP_CLICKS', 'APP_PURCHASES'],
    bidStrategies: ['AUTO', 'MAX'],
    frequencyCap: false,
    network: 'DR_TAP',
  },
  REACH: {
    productType: 'PROMOTED_POSTS',
    goals: ['MAX_REACH', 'REACH_WITH_ENGAGEMENT'],
    bidStrategies: ['AUTO', 'TARGET'],
    frequencyCap: true,
    network: 'BRAND_TPN',
  },
  FOLLOWERS: {
    productType: 'PROMOTED_ACCOUNT',
    goals: ['FOLLOWERS'],
    bidStrategies: ['AUTO', 'TARGET'],
    frequencyCap: false,
    network: 'BRAND_TPN',
  },
  ENGAGEMENTS: {
    productType: 'PROMOTED_POSTS',
    goals: ['ENGAGEMENT'],
    bidStrategies: ['AUTO', 'MAX'],
    frequencyCap: true,
    network: 'BRAND_TPN',
  },
  VIDEO_VIEWS: {
    productType: 'PROMOTED_POSTS',
    goals: ['VIDEO_VIEW', 'VIEW_3S_100PCT', 'VIEW_6S', 'VIEW_15S'],
    bidStrategies: ['AUTO', 'MAX'],
    frequencyCap: true,
    network: 'BRAND_TPN',
  },
  PREROLL_VIEWS: {
    productType: 'MEDIA',
    goals: ['PREROLL', 'PREROLL_STARTS'],
    bidStrategies: ['AUTO', 'MAX'],
    frequencyCap: true,
    network: 'BRAND_TPN',
  },
  WEBSITE_CLICKS: {
    productType: 'PROMOTED_POSTS',
    goals: ['LINK_CLICKS', 'SITE_VISITS', 'WEBSITE_CONVERSIONS'],
    bidStrategies: ['AUTO', 'MAX', 'TARGET'],
    frequencyCap: false,
    network: 'DR_TAP',
  },
}

export const CHOOSABLE_PAY_BY = ['APP_CLICK', 'IMPRESSION', 'LINK_CLICK'] as const
export const PAY_BY = [...CHOOSABLE_PAY_BY, 'ENGAGEMENT', 'FOLLOW', 'VIEW', 'VIEW_3S_100PCT', 'APP_INSTALL'] as const
export type PayBy = (typeof PAY_BY)[number]

/** What can be paid for with a goal; the first unless another is chosen. */
export const GOAL_PAY_BY: Record<Goal, readonly PayBy[]> = {
  APP_CLICKS: ['APP_CLICK'],
  APP_INSTALLS: ['IMPRESSION', 'APP_CLICK'],
  APP_PURCHASES: ['IMPRESSION', 'APP_CLICK'],
  ENGAGEMENT: ['ENGAGEMENT'],
  FOLLOWERS: ['FOLLOW'],
  LINK_CLICKS: ['IMPRESSION', 'LINK_CLICK'],
  MAX_REACH: ['IMPRESSION'],
  PREROLL: ['VIEW'],
  PREROLL_STARTS: ['VIEW'],
  REACH_WITH_ENGAGEMENT: ['IMPRESSION'],
  SITE_VISITS: ['IMPRESSION'],
  VIDEO_VIEW: ['VIEW'],
  VIEW_3S_100PCT: ['VIEW_3S_100PCT'],
  VIEW_6S: ['IMPRESSION'],
  VIEW_15S: ['IMPRESSION'],
  WEBSITE_CONVERSIONS: ['IMPRESSION'],
}

const OWN = ['PLATFORM_PROFILE', 'PLATFORM_REPLIES', 'PLATFORM_SEARCH', 'PLATFORM_TIMELINE'] as const
const NETWORK = [
  'PUBLISHER_NETWORK',
  'TAP_BANNER',
  'TAP_FULL',
  'TAP_FULL_LANDSCAPE',
  'TAP_NATIVE',
  'TAP_MRECT',
] as const
type Placement = (typeof PLACEMENTS)[number]

/** Every set of the platform's own placements that may be bought together: all but the profile by itself. */
const ownCombinations = (): Placement[][] => {
  const sets: Placement[][] = []
  for (let mask = 1; mask < 1 << OWN.length; mask++) sets.push(OWN.filter((_, at) => mask & (1 << at)))
  return sets.filter((set) => !(set.length === 1 && set[0] === 'PLATFORM_PROFILE'))
}

/** Combinations of placements that each product type allows. */
export const PLACEMENT_COMBINATIONS: Record<ProductType, readonly (readonly Placement[])[]> = {
  MEDIA: [[ALL_PLACEMENTS], ['PUBLISHER_NETWORK'], [ALL_PLACEMENTS, 'PUBLISHER_NETWORK']],
  PROMOTED_ACCOUNT: [[ALL_PLACEMENTS], ['PLATFORM_TIMELINE']],
  PROMOTED_POSTS: [
    [ALL_PLACEMENTS],
    ...ownCombinations(),
    ...NETWORK.map((item) => [item]),
    [ALL_PLACEMENTS, 'PUBLISHER_NETWORK'],
  ],
}

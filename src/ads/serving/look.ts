/** Where ads are shown, by their numbers in `ads_event.placement` and `ads_hour.placement`. New ones are added at the end. */
export const SHOWN_PLACEMENTS = [
  'PLATFORM_TIMELINE',
  'PLATFORM_SEARCH',
  'PLATFORM_PROFILE',
  'PLATFORM_REPLIES',
  'PUBLISHER_NETWORK',
] as const
export type ShownPlacement = (typeof SHOWN_PLACEMENTS)[number]

/** Somebody who looks, with what targeting may ask about. Values are targeting values, see `ads/targeting-options`. */
export interface Viewer {
  /** `ads_viewer.number`. */
  number: number
  userId: string
  language: string | null
  /** From the country to the city, those that are known. */
  locations: readonly string[]
  age: number | null
  /** 1 male, 2 female, as criteria have it. */
  gender: 1 | 2 | null
  platform: string | null
  platformVersion: string | null
  device: string | null
  networkOperator: string | null
  networkMonths: number | null
  wifiOnly: boolean
  interests: readonly string[]
  appCategories: readonly string[]
}

/** One look at a timeline, a search, a profile or replies. */
export interface Look {
  /** An id of product time. A repeated id gets what it got before. */
  id: string
  /** Product time. */
  at: number
  viewer: Viewer
  placement: ShownPlacement
  /** How many ads there is room for, at most 8. */
  slots: number
  /** The words that were searched for, on PLATFORM_SEARCH. */
  words?: readonly string[]
}

/** An ad that was shown, with what the viewer did at once. */
export interface Shown {
  slot: number
  /** The id of its `ads_event`. */
  impressionId: string
  accountId: string
  campaignId: string
  lineItemId: string
  /** The promoted post or promoted account. */
  promotedId: string
  /** The post that is shown; null for a promoted account. */
  postId: string | null
  /** The user who is shown or wrote the post. */
  userId: string
  /** Bits of OUTCOME. */
  outcomes: number
  /** Micros of the account's currency. */
  charge: number
}

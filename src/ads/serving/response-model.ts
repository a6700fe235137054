import { asShare, hash } from '../../process/hash.ts'
import { OUTCOME } from './outcomes.ts'

/** What is known about a promoted post or account, as far as it matters for how people respond. */
export interface Creative {
  /** A number of its id, for draws. */
  hash: number
  /** How good it is: about 0, rarely beyond -1 and 1. */
  quality: number
  interests: readonly string[]
  isAccount: boolean
  hasLink: boolean
  hasCard: boolean
  hasAppCard: boolean
  hasCarousel: boolean
  /** Length of its video in seconds; 0 without one. */
  videoSeconds: number
}

/** What is known about a moment at which somebody sees something. */
export interface Sight {
  /** How much the interests of the viewer and the creative have in common, 0 to 1. */
  affinity: number
  /** Position among the ads of a look, from 0. */
  position: number
  /** How often the viewer has seen this creative before. */
  seen: number
  /** Hour of the day where the viewer is. */
  hour: number
}

/** The kinds of response, by their log-odds at first sight for somebody without anything in common. */
const BASE = {
  detail: -5.1,
  link: -4.9,
  like: -5.6,
  repost: -6.9,
  reply: -7.3,
  follow: -7.6,
  followAccount: -5.2,
  card: -5.0,
  app: -5.0,
  swipe: -4.4,
  video: -0.9,
} as const
type ResponseKind = keyof typeof BASE
const KINDS = Object.keys(BASE) as ResponseKind[]
const NUMBER_OF = Object.fromEntries(KINDS.map((kind, at) => [kind, at + 1])) as Record<ResponseKind, number>

const AFFINITY = 1.6
const MEAN_AFFINITY = 0.15
const QUALITY = 0.5
const POSITION = 0.08
const SEEN = 0.28
const DAYTIME = 0.25
const BEST_HOUR = 21
const PERSON = 0.35

const HOURS = Array.from({ length: 24 }, (_, hour) => DAYTIME * Math.cos((2 * Math.PI * (hour - BEST_HOUR)) / 24))
const LOGARITHMS = Float64Array.from({ length: 1_024 }, (_, seen) => SEEN * Math.log2(1 + seen))

const chance = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/** The part of the log-odds that is the same for every kind: what a predictor can know. */
export const appeal = ({ quality }: Creative, { affinity, position, seen, hour }: Sight): number =>
  AFFINITY * (affinity - MEAN_AFFINITY) +
  QUALITY * quality -
  POSITION * position -
  LOGARITHMS[Math.min(seen, LOGARITHMS.length - 1)]! +
  HOURS[hour % 24]!

/** The largest factor by which chances grow when viewer and creative have so much in common, compared to nothing. */
export const largestGain = (affinity: number): number => Math.exp(AFFINITY * affinity)

/** What can be paid for. */
export type PaidEvent = 'impression' | 'engagement' | 'link' | 'app' | 'follow' | 'view' | 'view3s' | 'install'

/** The probability of a paid event as a predictor sees it: without what is particular to the person. */
export function predicted(event: PaidEvent, creative: Creative, base: number): number {
  switch (event) {
    case 'impression':
      return 1
    case 'engagement':
      return anyOf(creative, base)
    case 'link':
      return creative.hasLink || creative.hasCard ? chance(BASE.link + base) : chance(BASE.detail + base) / 10
    case 'app':
      return creative.hasAppCard ? chance(BASE.app + base) : chance(BASE.link + base) / 5
    case 'install':
      return chance(BASE.app + base) * INSTALLS_OF_CLICKS
    case 'follow':
      return chance((creative.isAccount ? BASE.followAccount : BASE.follow) + base)
    case 'view':
      return creative.videoSeconds > 0 ? chance(BASE.video + base) : 0
    case 'view3s':
      return creative.videoSeconds > 0 ? chance(BASE.video + base) * 0.8 : 0
  }
}

const INSTALLS_OF_CLICKS = 0.12

// The kinds are rare and independent, so their sum is close to the chance of any; exactly: one minus none of them.
function anyOf(creative: Creative, base: number): number {
  let none = 1
  for (const kind of kindsOf(creative)) none *= 1 - chance(BASE[kind] + base)
  return 1 - none
}

const ENGAGING = {
  account: ['followAccount', 'detail'],
  post: ['detail', 'like', 'repost', 'reply', 'follow'],
} satisfies Record<string, ResponseKind[]>
const kindLists = new Map<number, ResponseKind[]>()

/** The kinds of response that count as engagements with a creative. */
function kindsOf(creative: Creative): readonly ResponseKind[] {
  const { isAccount, hasLink, hasCard, hasAppCard, hasCarousel } = creative
  const key = +isAccount | (+hasLink << 1) | (+hasCard << 2) | (+hasAppCard << 3) | (+hasCarousel << 4)
  let kinds = kindLists.get(key)
  if (!kinds) {
    kinds = [...(isAccount ? ENGAGING.account : ENGAGING.post)]
    if (hasLink || hasCard) kinds.push('link')
    if (hasCard) kinds.push('card')
    if (hasAppCard) kinds.push('app')
    if (hasCarousel) kinds.push('swipe')
    kindLists.set(key, kinds)
  }
  return kinds
}

const BITS: Record<ResponseKind, number> = {
  detail: OUTCOME.clicks,
  link: OUTCOME.clicks | OUTCOME.url_clicks,
  like: OUTCOME.likes,
  repost: OUTCOME.reposts,
  reply: OUTCOME.replies,
  follow: OUTCOME.follows,
  followAccount: OUTCOME.follows,
  card: OUTCOME.card_engagements | OUTCOME.clicks,
  app: OUTCOME.app_clicks | OUTCOME.clicks,
  swipe: OUTCOME.carousel_swipes | OUTCOME.card_engagements,
  video: OUTCOME.video_total_views,
}

/**
 * What a viewer does with a creative, as bits of OUTCOME. Drawn from a hash of seed, kind, viewer, creative and the number of the
 * sight: the same whatever the order in which looks are served, and in which process.
 */
export function respond(seed: number, viewer: number, creative: Creative, sight: Sight): number {
  const person = PERSON * personality(seed, viewer)
  const base = appeal(creative, sight) + person
  const moment = hash(seed, viewer, creative.hash, sight.seen)
  let outcomes: number = OUTCOME.impressions
  if (asShare(hash(moment, 0x51)) < QUALIFIED) outcomes |= OUTCOME.qualified_impressions
  let engaged = false
  for (const kind of kindsOf(creative))
    if (asShare(hash(moment, NUMBER_OF[kind])) < chance(BASE[kind] + base)) {
      outcomes |= BITS[kind]
      engaged = true
    }
  if (engaged) outcomes |= OUTCOME.engagements
  if (creative.videoSeconds > 0 && asShare(hash(moment, NUMBER_OF.video)) < chance(BASE.video + base))
    outcomes |= watch(creative.videoSeconds, asShare(hash(moment, 0x77)), asShare(hash(moment, 0x78)))
  return outcomes
}

/** Half of a screen for a second. */
const QUALIFIED = 0.62
const CALL_TO_ACTION = 0.01

/** How far a video is watched: shares of viewers fall evenly on a logarithmic scale, and short videos are watched further. */
function watch(seconds: number, draw: number, click: number): number {
  const part = Math.min(1, (1.15 - draw) ** 2 * (1 + 8 / seconds))
  const watched = part * seconds
  let bits = OUTCOME.video_total_views | OUTCOME.video_content_starts
  if (part >= 0.25) bits |= OUTCOME.video_views_25
  if (part >= 0.5) bits |= OUTCOME.video_views_50
  if (part >= 0.75) bits |= OUTCOME.video_views_75
  if (part >= 0.99) bits |= OUTCOME.video_views_100
  if (watched >= 3 || part >= 0.99) bits |= OUTCOME.video_3s100pct_views
  if (watched >= 6) bits |= OUTCOME.video_6s_views
  if (watched >= 15) bits |= OUTCOME.video_15s_views
  if (click < CALL_TO_ACTION) bits |= OUTCOME.video_cta_clicks | OUTCOME.clicks | OUTCOME.engagements
  return bits
}

/** How readily a person responds in general: about a normal distribution. */
function personality(seed: number, viewer: number): number {
  const draw = (number: number): number => asShare(hash(seed, 0x9e01, viewer, number))
  return (draw(0) + draw(1) + draw(2) - 1.5) * 2
}

const PAID_BITS: Record<Exclude<PaidEvent, 'install'>, number> = {
  impression: OUTCOME.impressions,
  engagement: OUTCOME.engagements,
  link: OUTCOME.url_clicks,
  app: OUTCOME.app_clicks,
  follow: OUTCOME.follows,
  view: OUTCOME.video_total_views,
  view3s: OUTCOME.video_3s100pct_views,
}

/** True when what happened has the paid event in it. An installation is told later, as a conversion. */
export const hasPaidEvent = (event: PaidEvent, outcomes: number): boolean =>
  event !== 'install' && (outcomes & PAID_BITS[event]) !== 0

/** How much two lists of interests have in common, 0 to 1. */
export function affinityOf(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return 0
  let shared = 0
  for (const interest of one) if (other.includes(interest)) shared += 1
  return Math.min(1, shared / Math.sqrt(one.length * other.length))
}

import type { Goal, PayBy } from '../campaigns/objectives.data.ts'
import { largestBid } from '../money.ts'
import type { PaidEvent } from './response-model.ts'

/** What a line item pays for, and what it is after. */
export interface Bid {
  currency: string
  strategy: 'AUTO' | 'MAX' | 'TARGET'
  /** Micros of the currency for one goal event, or for one impression where reach is the goal. */
  amount: number
  paid: PaidEvent
  /** What the amount is for: the paid event, or the goal where impressions are paid. */
  valued: PaidEvent
  /** Of valued events, the part that reaches the goal. */
  share: number
  mostLambda: number
}

/** What is shown must be worth this much for an impression, in millionths of a dollar. */
export const RESERVE = 200

// To compare bids of accounts with different currencies. They need not be those of today: all that they decide is who wins.
const DOLLARS: Record<string, number> = {
  AED: 0.272,
  ARS: 0.001,
  AUD: 0.66,
  BHD: 2.65,
  BRL: 0.18,
  CAD: 0.73,
  CLP: 0.001,
  COP: 0.00025,
  DZD: 0.0075,
  EGP: 0.02,
  EUR: 1.09,
  GBP: 1.28,
  HKD: 0.128,
  IDR: 0.000062,
  INR: 0.012,
  IQD: 0.00076,
  JPY: 0.0067,
  KRW: 0.00073,
  KWD: 3.25,
  LBP: 0.000011,
  MAD: 0.1,
  MXN: 0.055,
  MYR: 0.22,
  NZD: 0.6,
  PHP: 0.017,
  PKR: 0.0036,
  QAR: 0.275,
  SAR: 0.267,
  SGD: 0.75,
  THB: 0.028,
  TND: 0.32,
  TRY: 0.03,
  USD: 1,
  VEF: 0.000004,
  VND: 0.00004,
}

/** Dollars for one unit of a currency. */
export const dollarsOf = (currency: string): number => DOLLARS[currency] ?? 1

const PAID_EVENTS: Record<PayBy, PaidEvent> = {
  APP_CLICK: 'app',
  IMPRESSION: 'impression',
  LINK_CLICK: 'link',
  ENGAGEMENT: 'engagement',
  FOLLOW: 'follow',
  VIEW: 'view',
  VIEW_3S_100PCT: 'view3s',
  APP_INSTALL: 'install',
}

/** What a goal counts, and which part of it reaches the goal: a click leads to a purchase now and then. */
const GOAL_EVENTS: Record<Goal, [event: PaidEvent, share: number]> = {
  APP_CLICKS: ['app', 1],
  APP_INSTALLS: ['install', 1],
  APP_PURCHASES: ['install', 0.2],
  ENGAGEMENT: ['engagement', 1],
  FOLLOWERS: ['follow', 1],
  LINK_CLICKS: ['link', 1],
  MAX_REACH: ['impression', 0.001],
  PREROLL: ['view', 1],
  PREROLL_STARTS: ['view', 1],
  REACH_WITH_ENGAGEMENT: ['impression', 0.001],
  SITE_VISITS: ['link', 0.7],
  VIDEO_VIEW: ['view', 1],
  VIEW_3S_100PCT: ['view3s', 1],
  VIEW_6S: ['view', 0.6],
  VIEW_15S: ['view', 0.3],
  WEBSITE_CONVERSIONS: ['link', 0.05],
}

// What AUTO begins with, in dollars for one event, before it learns.
const FIRST_BIDS: Record<PaidEvent, number> = {
  impression: 6,
  engagement: 0.3,
  link: 0.6,
  app: 0.8,
  install: 3,
  follow: 1.2,
  view: 0.04,
  view3s: 0.05,
}

/** How a line item bids. Reach is bid for by the thousand. */
export function bidOf(item: {
  currency: string
  bid_strategy: string | null
  bid_amount: number | null
  goal: string | null
  pay_by: string | null
}): Bid {
  const { currency } = item
  const paid = PAID_EVENTS[(item.pay_by ?? 'IMPRESSION') as PayBy]
  const [goalEvent, goalShare] = GOAL_EVENTS[(item.goal ?? 'MAX_REACH') as Goal]
  const [valued, share] = paid === 'impression' ? [goalEvent, goalShare] : [paid, 1]
  const micros = 1_000_000 / dollarsOf(currency)
  const isAutomatic = item.bid_strategy === 'AUTO' || item.bid_amount === null
  const amount = isAutomatic ? FIRST_BIDS[valued] * micros : item.bid_amount!
  const strategy = isAutomatic ? 'AUTO' : item.bid_strategy === 'TARGET' ? 'TARGET' : 'MAX'
  return {
    currency,
    strategy,
    amount,
    paid,
    valued,
    share,
    mostLambda: isAutomatic ? Math.max(1, Math.min(20, largestBid(currency) / amount)) : 1,
  }
}

/** What a paid event costs: the value of the next best, never above the bid. In micros of the currency. */
export function priceOf(bid: Bid, limit: number, nextValue: number, probability: number): number {
  const dollars = Math.max(RESERVE, nextValue)
  const micros = dollars / dollarsOf(bid.currency) / (bid.paid === 'impression' ? 1 : probability)
  return Math.max(0, Math.floor(Math.min(limit, micros)))
}

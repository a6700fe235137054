import { keywordQuery } from '../../audience-estimates/keyword-query.ts'
import { factsOf, KEYWORD_TYPES } from '../../targeting/targeting-types.data.ts'
import { eventByValue } from '../../targeting-options/calendar.ts'
import { VERSION_OPTIONS, versionByValue } from '../../targeting-options/device-options.ts'
import { showByValue } from '../../targeting-options/shows.ts'
import { anyPhrase } from '../../targeting-options/talk.ts'
import { conversationByValue, interestByValue } from '../../targeting-options/topics.ts'
import { OUTCOME } from '../outcomes.ts'
import { type Expansion, likeTerm } from './look-alikes.ts'

/** A criterion as it is stored. */
export interface StoredCriterion {
  type: string
  value: string
  /** The value as an id, where it is one. */
  id: string | null
  operator: string
}

/** Targeting in words: somebody of every group who is in none of the excluded sets. */
export interface TargetingTerms {
  groups: string[][]
  excluded: string[]
}

const MOST_MONTHS = 60
const PRIMARY = 'primary'
/** What a search says tells nothing about people, and look-alikes are not expanded again. */
const isOfPeople = (term: string): boolean => !/^(?:keyword|like):/.test(term)

// Types whose values are alternatives to each other though their names differ. All primary types are one group as well.
const GROUP_OF: Record<string, string> = {
  LIVE_TV_EVENT: 'EVENT',
  CAMPAIGN_ENGAGEMENT: 'ENGAGEMENT',
  CAMPAIGN_ENGAGEMENT_LOOKALIKE: 'ENGAGEMENT',
  USER_ENGAGEMENT: 'ENGAGEMENT',
  USER_ENGAGEMENT_LOOKALIKE: 'ENGAGEMENT',
}

/**
 * The terms that criteria of a line item stand for. Without criteria it reaches everyone but those who must not be reached. An
 * expansion adds people who are similar to those whom the primary criteria reach.
 */
export function compileTargeting(
  criteria: readonly StoredCriterion[],
  accountId: string,
  expansion: Expansion | null = null,
): TargetingTerms {
  const groups = new Map<string, string[]>()
  const excluded = [`unreached:${accountId}`]
  const mask = engagementMask(criteria)
  for (const criterion of criteria) {
    if (isRange(criterion)) continue
    const terms = termsOfCriterion(criterion, mask)
    if (!terms) continue
    if (criterion.operator === 'NE') {
      excluded.push(...terms)
      continue
    }
    const group = factsOf(criterion.type).primary ? PRIMARY : (GROUP_OF[criterion.type] ?? criterion.type)
    groups.set(group, [...(groups.get(group) ?? []), ...terms])
  }
  const primary = groups.get(PRIMARY)
  if (expansion && primary) primary.push(likeTerm(expansion, primary.filter(isOfPeople)))
  for (const type of new Set(criteria.filter(isRange).map((item) => item.type)))
    groups.set(type, [...(groups.get(type) ?? []), ...rangeTerms(type, criteria)])
  return { groups: [...groups.values()], excluded }
}

const MASKS: Record<string, number> = {
  IMPRESSION: OUTCOME.impressions,
  ENGAGEMENT: OUTCOME.engagements,
  VIDEO_VIEW: OUTCOME.video_total_views,
  VIDEO_VIEW_PARTIAL: OUTCOME.video_views_25,
  VIDEO_VIEW_COMPLETE: OUTCOME.video_views_100,
}

/** Which engagements with campaigns count: those that ENGAGEMENT_TYPE criteria name, or any. */
function engagementMask(criteria: readonly StoredCriterion[]): number {
  const named = criteria.filter(({ type }) => type === 'ENGAGEMENT_TYPE')
  return named.reduce((mask, { value }) => mask | MASKS[value]!, 0) || OUTCOME.engagements | OUTCOME.video_total_views
}

/** The terms of a criterion; undefined for types that say nothing about who looks at a timeline. */
function termsOfCriterion({ type, value, id }: StoredCriterion, mask: number): string[] | undefined {
  if (KEYWORD_TYPES.includes(type)) return [`talk:${keywordQuery(type, value)}`, `keyword:${type}:${value}`]
  switch (type) {
    case 'AGE':
      return [`age:${value}`]
    case 'DEVICE':
      return [`device:${value}`]
    case 'GENDER':
      return [`gender:${value}`]
    case 'LANGUAGE':
      return [`language:${value}`]
    case 'LOCATION':
      return [`location:${value}`]
    case 'PLATFORM':
      return [`platform:${value}`]
    case 'NETWORK_OPERATOR':
      return [`operator:${value}`]
    case 'WIFI_ONLY':
      return ['wifi:1']
    case 'PLATFORM_VERSION':
      return [`version:${value}`]
    case 'APP_STORE_CATEGORY':
    case 'APP_STORE_CATEGORY_LOOKALIKE':
      return [`apps:${value}`]
    case 'INTEREST':
      return [`interest:${value}`, `talk:${anyPhrase(interestByValue.get(value)!.about)}`]
    case 'TV_SHOW':
      return [`talk:${anyPhrase([showByValue.get(value)!.name])}`]
    case 'CONVERSATION':
      return [`talk:${anyPhrase([conversationByValue.get(value)!.name])}`]
    case 'EVENT':
    case 'LIVE_TV_EVENT':
      return [`talk:${anyPhrase([eventByValue.get(value)!.about])}`]
    case 'FOLLOWERS_OF_USER':
      return [`follows:${id}`]
    case 'SIMILAR_TO_FOLLOWERS_OF_USER':
      return [`similar:${id}`]
    case 'CUSTOM_AUDIENCE':
      return [`audience:${id}`]
    case 'CUSTOM_AUDIENCE_EXPANDED':
      return [`audience:${id}`, likeTerm('EXPANDED', [`audience:${id}`])]
    case 'CAMPAIGN_ENGAGEMENT':
      return [`campaign:${id}:${mask}`]
    case 'CAMPAIGN_ENGAGEMENT_LOOKALIKE':
      return [`campaignlike:${id}:${mask}`]
    case 'USER_ENGAGEMENT':
      return [`engaged:${id}`]
    case 'USER_ENGAGEMENT_LOOKALIKE':
      return [`similar:${id}`]
    default:
      // Apps that people have installed, content categories and publishers are about other places than timelines.
      return undefined
  }
}

/** True for a bound, from or below which something must be. */
const isRange = ({ operator }: StoredCriterion): boolean => operator === 'GTE' || operator === 'LT'

/** The terms that keep all bounds of a type: from one up to another. Versions of different systems do not bound each other. */
function rangeTerms(type: string, criteria: readonly StoredCriterion[]): string[] {
  const bounds = criteria.filter((item) => item.type === type && isRange(item))
  if (type === 'NETWORK_ACTIVATION_DURATION') {
    const all = Array.from({ length: MOST_MONTHS + 1 }, (_, month) => month)
    const keeps = (month: number) =>
      bounds.every(({ value, operator }) => month < Number(value) === (operator === 'LT'))
    return all.filter(keeps).map((month) => `months:${month}`)
  }
  return VERSION_OPTIONS.filter(({ os, number }) => {
    const ofSystem = bounds.filter(({ value }) => versionByValue.get(value)!.os === os)
    const isBelow = (value: string) => compareParts(parts(number), parts(versionByValue.get(value)!.number)) < 0
    return ofSystem.length > 0 && ofSystem.every(({ value, operator }) => isBelow(value) === (operator === 'LT'))
  }).map((option) => `version:${option.value}`)
}

const parts = (number: string): number[] => number.split('.').map(Number)
function compareParts(one: number[], other: number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

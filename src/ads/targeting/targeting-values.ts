import { isStorableId } from '../../process/ids.ts'
import { tokenize } from '../../search/tokenize.ts'
import { CONTENT_CATEGORIES } from '../categories/content-categories.data.ts'
import { IAB_CATEGORIES } from '../categories/iab-categories.data.ts'
import { AdsError, invalidParameter } from '../kit/errors.ts'
import { parseBase36, toBase36 } from '../kit/values.ts'
import { eventByValue } from '../targeting-options/calendar.ts'
import { deviceByValue, platformByValue, versionByValue } from '../targeting-options/device-options.ts'
import { findLocation } from '../targeting-options/locations.ts'
import { showByValue } from '../targeting-options/shows.ts'
import {
  appCategoryByValue,
  conversationByValue,
  interestByValue,
  languageByValue,
  operatorByValue,
} from '../targeting-options/topics.ts'
import { AGES, CRITERION_GENDERS, ENGAGEMENT_TYPES, factsOf } from './targeting-types.data.ts'

/** A value as it is stored and, where it is the id of a record, that id. */
export interface TargetingValue {
  value: string
  id?: string
}

const LONGEST_KEYWORD = 500
const MOST_MONTHS = 60

/** The codes of all content categories. */
const contentCodes = new Set(CONTENT_CATEGORIES.flatMap((item) => item.iab_categories))

const lookups = {
  'app category': appCategoryByValue,
  conversation: conversationByValue,
  device: deviceByValue,
  event: eventByValue,
  interest: interestByValue,
  language: languageByValue,
  location: { get: findLocation },
  'network operator': operatorByValue,
  platform: platformByValue,
  'platform version': versionByValue,
  show: showByValue,
}
type LookedUp = keyof typeof lookups

const LOOKUP_PATHS: Record<LookedUp, string> = {
  'app category': 'app_store_categories',
  conversation: 'conversations',
  device: 'devices',
  event: 'events',
  interest: 'interests',
  language: 'languages',
  location: 'locations',
  'network operator': 'network_operators',
  platform: 'platforms',
  'platform version': 'platform_versions',
  show: 'tv_shows',
}

/** Reads the value of a criterion, without the checks that need the database. */
export function readTargetingValue(type: string, sent: string): TargetingValue | AdsError {
  const wrong = (details: string) => invalidParameter('targeting_value', details, sent.slice(0, 200))
  const { value: kind } = factsOf(type)
  switch (kind) {
    case 'age':
      return amongWords(sent, AGES) ?? wrong(`must be one of ${AGES.join(', ')}`)
    case 'engagement':
      return amongWords(sent, ENGAGEMENT_TYPES) ?? wrong(`must be one of ${ENGAGEMENT_TYPES.join(', ')}`)
    case 'gender':
      return Object.hasOwn(CRITERION_GENDERS, sent) ? { value: sent } : wrong('must be 1 (male) or 2 (female)')
    case 'yes':
      return sent === '1' ? { value: '1' } : wrong('must be 1; leave out the criterion to allow any connection')
    case 'months':
      return /^[1-9]\d?$/.test(sent) && Number(sent) <= MOST_MONTHS
        ? { value: sent }
        : wrong(`must be a whole number of months, 1 to ${MOST_MONTHS}`)
    case 'keyword':
      return readKeyword(sent) ?? wrong(`must be a word or phrase of at most ${LONGEST_KEYWORD} characters`)
    case 'content category':
      return contentCodes.has(sent) ? { value: sent } : unknownCategory.with({ value: sent.slice(0, 200) })
    case 'full user':
    case 'promotable user':
    case 'publisher':
    case 'user':
      return isStorableId(sent) ? { value: plainId(sent), id: plainId(sent) } : wrong('must be the id of a user')
    case 'app list':
    case 'audience':
    case 'campaign': {
      const id = parseBase36(sent)
      return id === undefined ? wrong('must be an id in base 36') : { value: toBase36(id), id }
    }
    default: {
      const found = lookups[kind].get(sent)
      return found
        ? { value: found.value }
        : wrong(`must be a targeting_value of targeting_criteria/${LOOKUP_PATHS[kind]}`)
    }
  }
}

const plainId = (text: string): string => BigInt(text).toString()

const amongWords = (sent: string, words: readonly string[]): TargetingValue | undefined =>
  words.includes(sent) ? { value: sent } : undefined

function readKeyword(sent: string): TargetingValue | undefined {
  const value = sent.trim().replace(/\s+/g, ' ')
  return [...value].length <= LONGEST_KEYWORD && tokenize(value).length > 0 ? { value } : undefined
}

const unknownCategory = new AdsError('INVALID_IAB_CATEGORY', 'The code does not belong to a content category', {
  parameter: 'targeting_value',
})

/** The name of a value; undefined where the record that it refers to has the name. */
export function valueName(type: string, value: string): string | undefined {
  const { value: kind } = factsOf(type)
  switch (kind) {
    case 'gender':
      return CRITERION_GENDERS[value]!
    case 'yes':
      return 'Wi-Fi only'
    case 'months':
      return value === '1' ? '1 month' : `${value} months`
    case 'age':
      return (
        value.replace('AGE_OVER_', '').replace('AGE_', '').replace('_TO_', ' to ') +
        (value.includes('OVER') ? ' and up' : '')
      )
    case 'engagement':
    case 'keyword':
      return value
    case 'content category':
      return IAB_CATEGORIES.find((item) => item.id === value)?.name ?? value
    case 'full user':
    case 'promotable user':
    case 'publisher':
    case 'user':
    case 'app list':
    case 'audience':
    case 'campaign':
      return undefined
    default:
      return lookups[kind].get(value)?.name
  }
}

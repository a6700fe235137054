import { component, Type } from '../../api-kit/declaring/schema.ts'
import { AdsProblem, invalidParameter, invalidTimeWindow } from '../kit/errors.ts'
import { defineAdsOperation, optional, required } from '../kit/operation.ts'
import { showTime } from '../kit/times.ts'
import { type Kind, listKind, oneOfKind, textKind, timeKind } from '../kit/values.ts'
import { countryOf, countryOfTargetingValue } from '../targeting-options/country-of.ts'
import { countKeywordPosts, findNewestTexts, findTexts, hasWords, type TimeRange, termsOf } from './find-keywords.ts'
import { relatedKeywords } from './related-keywords.ts'

const KEYWORDS = 10
const LONGEST_KEYWORD = 100
const SLICE_MS = { HOUR: 3600_000, DAY: 24 * 3600_000 }
const LONGEST_DAYS = 7
// The time that a request needs to arrive, for clients that count back from now.
const REQUEST_DELAY_MS = 10_000
// Enough texts to see which words occur together.
const SAMPLE = 300

const keyword: Kind<string> = {
  ...textKind({ min: 1, max: LONGEST_KEYWORD }),
  read: (sent, parameter) => {
    const text = textKind({ min: 1, max: LONGEST_KEYWORD }).read(sent, parameter)
    return typeof text !== 'string' || hasWords(text)
      ? text
      : invalidParameter(parameter, 'a keyword must have a letter or digit', text)
  },
}

const searchKeywordInsights = defineAdsOperation({
  id: 'searchKeywordInsights',
  route: 'GET /12/insights/keywords/search',
  tag: 'Keyword Insights',
  summary: 'Get the post volume of keywords, and related keywords',
  params: {
    granularity: required(oneOfKind(['DAY', 'HOUR'])),
    keywords: required(listKind(keyword, { max: KEYWORDS })),
    start_time: required(timeKind),
    end_time: optional(timeKind),
    location: optional(textKind({ min: 1, max: 100 })),
    negative_keywords: optional(listKind(keyword, { max: KEYWORDS - 1 })),
  },
  data: component(
    'KeywordInsights',
    Type.Object({
      related_keywords: Type.Array(Type.String(), { minItems: 30, maxItems: 30 }),
      post_volume: Type.Array(Type.Integer({ minimum: 0 })),
    }),
  ),
  limit: 'keyword insights',
  check: ({ keywords, negative_keywords: negative = [] }) =>
    keywords.length + negative.length > KEYWORDS
      ? [
          invalidParameter(
            'negative_keywords',
            `keywords and negative_keywords together may have at most ${KEYWORDS} entries`,
          ),
        ]
      : [],
  handle: async ({ params, runtime }) => {
    const { keywords, negative_keywords: negative = [], granularity } = params
    const sliceMs = SLICE_MS[granularity]
    const range = readRange(params.start_time, params.end_time, sliceMs, runtime.clock.now())
    const country = params.location === undefined ? undefined : readCountry(params.location)
    const terms = termsOf(keywords, negative)
    const counted = await countKeywordPosts(runtime.database, terms, range, {
      sliceMs,
      location: country !== undefined,
    })
    const locations =
      country === undefined
        ? undefined
        : new Set(counted.map((row) => row.location).filter((text) => countryOf(text) === country))
    const lastMs = params.end_time ? range.endMs : range.endMs - REQUEST_DELAY_MS
    const units = Math.max(1, Math.ceil((lastMs - range.startMs) / sliceMs))
    const volume = new Array<number>(units).fill(0)
    for (const { slice, location, posts } of counted)
      if (!locations || locations.has(location)) volume[Math.min(slice, units - 1)]! += posts
    const [matching, any] = await Promise.all([
      findTexts(runtime.database, terms, range, locations && [...locations], SAMPLE),
      findNewestTexts(runtime.database, SAMPLE),
    ])
    return { data: { related_keywords: relatedKeywords({ keywords, negative, matching, any }), post_volume: volume } }
  },
})

/** The range of a request. It may extend to the end of the current hour or day. */
function readRange(start: Date, end: Date | undefined, sliceMs: number, now: number): TimeRange {
  const startMs = start.getTime()
  const endMs = end?.getTime() ?? now + 1
  const latest = (Math.floor(now / sliceMs) + 1) * sliceMs
  if (startMs >= endMs)
    throw wrongWindow(end ? 'end_time' : 'start_time', end ? 'must be later than start_time' : 'must be in the past')
  if (endMs > latest)
    throw wrongWindow('end_time', `must not be in the future; the latest is ${showTime(new Date(latest))}`)
  if (endMs - startMs > LONGEST_DAYS * SLICE_MS.DAY + (end ? 0 : REQUEST_DELAY_MS))
    throw wrongWindow('start_time', `must be at most ${LONGEST_DAYS} days before end_time`)
  return { startMs, endMs }
}

const wrongWindow = (parameter: string, details: string): AdsProblem =>
  new AdsProblem([invalidTimeWindow(parameter, details)])

function readCountry(value: string): string {
  const country = countryOfTargetingValue(value.toLowerCase())
  if (country) return country
  throw new AdsProblem([
    invalidParameter('location', 'must be the targeting value of a country, from targeting_criteria/locations', value),
  ])
}

export const insightOperations = [searchKeywordInsights]

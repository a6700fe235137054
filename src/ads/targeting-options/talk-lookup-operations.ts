import { Type } from '../../api-kit/declaring/schema.ts'
import { TV_MARKETS } from '../../social/annotations/data/tv.data.ts'
import { windowErrors } from '../kit/errors.ts'
import { pageParams } from '../kit/list-records.ts'
import { defineAdsOperation, optional, required } from '../kit/operation.ts'
import { showTime } from '../kit/times.ts'
import { listKind, oneOfKind, textKind, timeKind, wholeKind } from '../kit/values.ts'
import { type CalendarDay, EVENT_TYPES, EVENTS } from './calendar.ts'
import { countryOf } from './country-of.ts'
import { countryKind, searchText } from './lookup-operations.ts'
import { findOptions, pageOfOptions, positionsOf } from './option.ts'
import { EventOption, TvMarket, TvShowOption } from './option-schemas.ts'
import { LOCALES, SHOWS, splitLocale } from './shows.ts'
import { countTalkers, type Talk, talkAbout } from './talk.ts'

const HORIZON_MS = 2 * 365 * 24 * 3600_000
const LEAST_SHOWN_USERS = 1_000

const eventList = { name: 'events', positions: positionsOf(EVENTS) }

/** The percentages of countries among the authors whose profiles name one. */
function countryShares(locations: readonly string[]): Record<string, number> {
  const codes = locations.flatMap((text) => countryOf(text) ?? [])
  const shares: Record<string, number> = {}
  for (const code of [...new Set(codes)].sort())
    shares[code] = Math.round((codes.filter((item) => item === code).length / codes.length) * 10_000) / 100
  return shares
}

const showEvent = (event: CalendarDay, talk: Talk) => ({
  name: event.name,
  event_type: event.type,
  targeting_value: event.value,
  start_time: showTime(event.start),
  end_time: showTime(event.end),
  is_global: event.countryCode === null,
  country_code: event.countryCode,
  reach: { total_reach: talk.reach },
  top_users: talk.users,
  top_posts: talk.posts,
  top_hashtags: talk.tags.map((tag) => tag.slice(1)),
  // This server does not have the genders and devices of users.
  gender_breakdown_percentage: {},
  device_breakdown_percentage: {},
  country_breakdown_percentage: countryShares(talk.locations),
})

const listEvents = defineAdsOperation({
  id: 'listEvents',
  route: 'GET /12/targeting_criteria/events',
  tag: 'Targeting Options',
  summary: 'List events that can be targeted',
  params: {
    event_types: optional(listKind(oneOfKind(EVENT_TYPES), { max: EVENT_TYPES.length })),
    country_codes: optional(listKind(countryKind)),
    start_time: optional(timeKind),
    end_time: optional(timeKind),
    ...pageParams(),
  },
  data: EventOption,
  envelope: 'list',
  limit: 'targeting lookups',
  check: ({ start_time: start, end_time: end }) => windowErrors(start, end),
  handle: async ({ params, runtime }) => {
    const now = runtime.clock.now()
    const from = params.start_time?.getTime() ?? now
    const until = params.end_time?.getTime() ?? from + HORIZON_MS
    const types = params.event_types && new Set<string>(params.event_types)
    const countries = params.country_codes && new Set(params.country_codes)
    const found = EVENTS.filter(
      (event) =>
        event.end.getTime() > from &&
        event.start.getTime() < until &&
        (!types || types.has(event.type)) &&
        // An event of the whole world belongs to each country.
        (!countries || event.countryCode === null || countries.has(event.countryCode)),
    )
    const { page, next_cursor } = pageOfOptions(eventList, found, { count: params.count!, cursor: params.cursor })
    const talks = await talkAbout(
      runtime.database,
      page.map((event) => event.about),
      now,
    )
    return { data: page.map((event, at) => showEvent(event, talks[at]!)), next_cursor }
  },
})

const listTvMarkets = defineAdsOperation({
  id: 'listTvMarkets',
  route: 'GET /12/targeting_criteria/tv_markets',
  tag: 'Targeting Options',
  summary: 'List television markets',
  data: Type.Array(TvMarket),
  limit: 'tv lookups',
  handle: async () => ({ data: TV_MARKETS }),
})

const showList = { name: 'tv_shows', positions: positionsOf(SHOWS) }
const showsOfLocales = new Map(
  LOCALES.map((locale) => {
    const { language, country } = splitLocale(locale)
    const seen = SHOWS.filter((show) =>
      show.locales.some((item) => item.language === language && item.country === country),
    )
    return [locale, seen]
  }),
)

const listTvShows = defineAdsOperation({
  id: 'listTvShows',
  route: 'GET /12/targeting_criteria/tv_shows',
  tag: 'Targeting Options',
  summary: 'Find television shows of a market',
  params: {
    locale: required({ ...oneOfKind(LOCALES), hasWords: false }),
    count: optional(wholeKind({ min: 1, max: 50 }), { initial: 50 }),
    cursor: optional(textKind({ min: 1, max: 2_000 })),
    q: searchText,
  },
  data: TvShowOption,
  envelope: 'list',
  limit: 'tv lookups',
  echo: { without: ['locale'] },
  handle: async ({ params, runtime }) => {
    const { language, country } = splitLocale(params.locale)
    const found = findOptions(showsOfLocales.get(params.locale)!, params.q)
    const { page, next_cursor } = pageOfOptions(showList, found, { count: params.count!, cursor: params.cursor })
    const users = await countTalkers(
      runtime.database,
      page.map((show) => show.name),
      runtime.clock.now(),
    )
    return {
      data: page.map((show, at) => ({
        name: show.name,
        targeting_value: show.value,
        genre: show.genre,
        estimated_users: Math.max(LEAST_SHOWN_USERS, users[at]!),
        locales: show.locales,
      })),
      next_cursor,
      alsoEchoed: { countryCode: country, languageCode: language },
    }
  },
})

/** Lookups that also count posts and their authors. */
export const talkLookupOperations = [listEvents, listTvMarkets, listTvShows]

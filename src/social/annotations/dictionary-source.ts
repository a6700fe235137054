import { CITIES } from '../places/data/cities.data.ts'
import { COUNTRY_ALIASES, COUNTRY_CODES } from '../places/data/countries.data.ts'
import { REGIONS } from '../places/data/regions.data.ts'
import { BRANDS, CRYPTO, STOCKS } from './data/brands.data.ts'
import { CONVERSATIONS } from './data/conversations.data.ts'
import { CULTURE, PRODUCTS } from './data/culture.data.ts'
import { CALENDAR } from './data/events.data.ts'
import { INTERESTS } from './data/interests.data.ts'
import { PEOPLE } from './data/people.data.ts'
import { ESPORTS_TEAMS, LEAGUES, SPORTS_EVENTS, TEAMS } from './data/teams.data.ts'
import { TV_SHOWS } from './data/tv.data.ts'
import { WORLD } from './data/world.data.ts'

/** What a part of a text is, as `entities.annotations` names it. */
export type AnnotationType = 'Person' | 'Place' | 'Product' | 'Organization' | 'Other'

/** How entities of a kind are annotated. */
interface Kind {
  /** Ids of domains, the widest first. */
  domains: readonly string[]
  /** Undefined for subjects: they have a context, but a word of the text is not the name of something. */
  type: AnnotationType | undefined
}

const kind = (domains: string, type?: AnnotationType): Kind => ({ domains: domains.split(' '), type })

const KINDS = {
  COUNTRY: kind('13 160', 'Place'),
  CITY: kind('13 156', 'Place'),
  REGION: kind('13 159', 'Place'),
  PLACE: kind('13', 'Place'),
  POI: kind('13 158', 'Place'),
  PERSON: kind('10', 'Person'),
  POLITICIAN: kind('10 35', 'Person'),
  MUSICIAN: kind('10 54', 'Person'),
  ACTOR: kind('10 56', 'Person'),
  ATHLETE: kind('10 60', 'Person'),
  COACH: kind('10 93', 'Person'),
  JOURNALIST: kind('10 94', 'Person'),
  CREATOR: kind('10 120', 'Person'),
  ENTERTAINER: kind('10 58', 'Person'),
  SPORTS_PERSONALITY: kind('10 92', 'Person'),
  TEAM: kind('12', 'Organization'),
  ESPORTS_TEAM: kind('137', 'Organization'),
  LEAGUE: kind('26', 'Organization'),
  INSTITUTION: kind('88', 'Organization'),
  SCIENCE: kind('163', 'Organization'),
  UNIVERSITY: kind('157', 'Organization'),
  BRAND: kind('47', 'Organization'),
  PUBLISHER: kind('47 78', 'Organization'),
  RADIO: kind('90', 'Organization'),
  STOCK: kind('165', 'Organization'),
  CRYPTO: kind('174', 'Product'),
  PRODUCT: kind('48', 'Product'),
  GAME: kind('71', 'Product'),
  HARDWARE: kind('48 79', 'Product'),
  MOVIE: kind('86', 'Other'),
  TV: kind('3', 'Other'),
  BOOK: kind('84', 'Other'),
  ALBUM: kind('89', 'Other'),
  PODCAST: kind('91', 'Other'),
  CHARACTER: kind('122', 'Other'),
  FRANCHISE: kind('130', 'Other'),
  EVENT: kind('29', 'Other'),
  SPORTS_EVENT: kind('29 6', 'Other'),
  CONCERT: kind('29 114', 'Other'),
  AWARD: kind('29 118', 'Other'),
  HOLIDAY: kind('29 119', 'Other'),
  SPORT: kind('11'),
  INTEREST: kind('67'),
  INTEREST_CATEGORY: kind('66'),
  BRAND_CATEGORY: kind('46'),
  MUSIC_GENRE: kind('55'),
  MOVIE_GENRE: kind('87'),
  BOOK_GENRE: kind('85'),
  FOOD: kind('152'),
  ANIMAL: kind('166'),
  TECHNOLOGY: kind('164'),
  FIELD: kind('163'),
  WEATHER: kind('155'),
  EMERGENCY: kind('175'),
} as const satisfies Record<string, Kind>

type KindName = keyof typeof KINDS

/** An entity of the dictionary, before entities with the same name are joined. */
export interface SourceEntity {
  /** The first name is the main one. */
  names: readonly string[]
  kind: Kind
  ticker: string | undefined
}

const CONVERSATION_KINDS: Record<string, KindName> = {
  ACTORS: 'ACTOR',
  ATHLETES: 'ATHLETE',
  BOOK_GENRES: 'BOOK_GENRE',
  BOOKS: 'BOOK',
  BRAND_CATEGORIES: 'BRAND_CATEGORY',
  BRANDS: 'BRAND',
  CELEBRITIES: 'ENTERTAINER',
  COACHES: 'COACH',
  DIGITAL_CREATORS: 'CREATOR',
  ENTERTAINMENT_BRANDS: 'BRAND',
  ENTERTAINMENT_PERSONALITIES: 'ENTERTAINER',
  FICTIONAL_CHARACTERS: 'CHARACTER',
  JOURNALISTS: 'JOURNALIST',
  MOVIE_GENRES: 'MOVIE_GENRE',
  MOVIES: 'MOVIE',
  MUSIC_GENRES: 'MUSIC_GENRE',
  MUSICIANS: 'MUSICIAN',
  PERSONS: 'PERSON',
  PLACES: 'PLACE',
  PODCASTS: 'PODCAST',
  PRODUCTS: 'PRODUCT',
  RADIO_STATIONS: 'RADIO',
  SPORTS_LEAGUES: 'LEAGUE',
  SPORTS_PERSONALITIES: 'SPORTS_PERSONALITY',
  SPORTS_TEAMS: 'TEAM',
  SPORTS: 'SPORT',
  TV_SHOWS: 'TV',
  VIDEO_GAME_PLATFORMS: 'HARDWARE',
  VIDEO_GAME_PUBLISHERS: 'PUBLISHER',
  VIDEO_GAMES: 'GAME',
}

const EVENT_KINDS: Record<string, KindName> = {
  HOLIDAY: 'HOLIDAY',
  SPORTS: 'SPORTS_EVENT',
  MUSIC_AND_ENTERTAINMENT: 'CONCERT',
}

/** The items of a list: a name, other names after `=`, a ticker after `$`. */
function* listed(text: string, name: KindName): Generator<SourceEntity> {
  for (const item of text.replaceAll('\n', '').split('|')) {
    const [names, ticker] = item.split('$') as [string, string?]
    yield { names: names.split('='), kind: KINDS[name], ticker }
  }
}

function* ofEach(
  lists: Record<string, string>,
  kindOf: (key: string) => KindName | undefined,
): Generator<SourceEntity> {
  for (const [key, text] of Object.entries(lists)) {
    const name = kindOf(key)
    if (name) yield* listed(text, name)
  }
}

function* places(): Generator<SourceEntity> {
  const countryNames = new Intl.DisplayNames(['en'], { type: 'region' })
  for (const code of COUNTRY_CODES)
    yield { names: [countryNames.of(code)!, ...(COUNTRY_ALIASES[code] ?? [])], kind: KINDS.COUNTRY, ticker: undefined }
  for (const [country, text] of Object.entries(CITIES))
    for (const item of text.split('|'))
      yield { names: [country in REGIONS ? item.replace(/ \S+$/, '') : item], kind: KINDS.CITY, ticker: undefined }
  for (const text of Object.values(REGIONS))
    for (const item of text.split('|'))
      yield { names: [item.slice(item.indexOf(' ') + 1)], kind: KINDS.REGION, ticker: undefined }
}

/** Every entity of the dictionary. Where two have the same name, the earlier one is meant. */
export function* sourceEntities(): Generator<SourceEntity> {
  yield* places()
  yield* ofEach(PEOPLE, (key) => key as KindName)
  yield* listed(TEAMS, 'TEAM')
  yield* listed(ESPORTS_TEAMS, 'ESPORTS_TEAM')
  yield* listed(LEAGUES, 'LEAGUE')
  yield* listed(SPORTS_EVENTS, 'SPORTS_EVENT')
  yield* ofEach(BRANDS, () => 'BRAND')
  yield* listed(STOCKS, 'STOCK')
  yield* listed(CRYPTO, 'CRYPTO')
  yield* ofEach(WORLD, (key) => key as KindName)
  yield* ofEach(CONVERSATIONS, (key) => CONVERSATION_KINDS[key])
  yield* ofEach(CULTURE, (key) => key as KindName)
  yield* listed(PRODUCTS, 'PRODUCT')
  for (const { names } of TV_SHOWS) yield* listed(names, 'TV')
  for (const { name, type } of CALENDAR)
    yield { names: [name], kind: KINDS[EVENT_KINDS[type] ?? 'EVENT'], ticker: undefined }
  for (const name of Object.keys(INTERESTS)) yield { names: [name], kind: KINDS.INTEREST_CATEGORY, ticker: undefined }
  yield* ofEach(INTERESTS, () => 'INTEREST')
  for (const name of Object.keys(BRANDS)) yield { names: [name], kind: KINDS.BRAND_CATEGORY, ticker: undefined }
}

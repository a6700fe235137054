/** Videos of selected publishers that can be bought together, in some countries. */
export interface CuratedCategory {
  /** In base 36. */
  id: string
  name: string
  description: string
  country_codes: readonly string[]
  /** The content categories of its publishers. */
  content_category_ids: readonly string[]
}

const EUROPE = ['DE', 'ES', 'FR', 'GB', 'IE', 'IT', 'NL', 'PT']
const AMERICAS = ['BR', 'CA', 'MX', 'US']
const ENGLISH = ['AU', 'CA', 'GB', 'IE', 'NZ', 'US']
const EVERYWHERE = [...EUROPE, ...AMERICAS, ...ENGLISH, 'IN', 'JP', 'KR', 'NG', 'ZA']

const curated = (
  id: string,
  name: string,
  description: string,
  countries: readonly string[],
  ...contents: string[]
): CuratedCategory => ({
  id,
  name,
  description,
  country_codes: [...new Set(countries)].sort(),
  content_category_ids: contents,
})

export const CURATED_CATEGORIES: readonly CuratedCategory[] = [
  curated('9b1', 'Football highlights', 'Goals and highlights from the leagues.', [...EUROPE, 'BR', 'NG'], 'se'),
  curated(
    '9b2',
    'Basketball and American football',
    'Games, highlights and discussion of the leagues.',
    ['CA', 'US'],
    'se',
  ),
  curated('9b3', 'Cricket', 'Matches and highlights.', ['AU', 'GB', 'IN', 'NZ', 'ZA'], 'se'),
  curated('9b4', 'Baseball', 'Games of the season and highlights.', ['JP', 'KR', 'US'], 'se'),
  curated('9b5', 'Motor sports', 'Races on roads and tracks.', EVERYWHERE, 'ru', 'se'),
  curated('9b6', 'Esports and games', 'Tournaments, trailers and players.', EVERYWHERE, 's0'),
  curated('9b7', 'Premium news', 'Publishers that report world news.', ENGLISH, 'sr', 's4'),
  curated('9b8', 'Business and markets', 'Companies, markets and money.', [...ENGLISH, 'IN', 'JP'], 'sn'),
  curated('9b9', 'Technology', 'New devices, software and their makers.', EVERYWHERE, 'sg'),
  curated('9ba', 'Science and nature', 'Science, nature and how things work.', ENGLISH, 'ss'),
  curated('9bb', 'Film and television', 'Trailers, shows and the people in them.', EVERYWHERE, 'sh', 'sm'),
  curated('9bc', 'Music', 'Songs, concerts and artists.', EVERYWHERE, 'sq'),
  curated('9bd', 'Comedy', 'Sketches, shows and other comedy.', [...ENGLISH, ...AMERICAS], 'sk'),
  curated('9be', 'Food', 'Recipes, cooking and restaurants.', EUROPE, 'so'),
  curated('9bf', 'Style and travel', 'Fashion, travel and well-being.', EUROPE, 'sp'),
  curated('9bg', 'Creators', 'Creators with audiences of their own.', AMERICAS, 'sl'),
]

/** When the categories were created. */
export const CURATED_AT = '2022-10-27T00:00:00Z'

/** Videos of picked publishers that can be bought together, in some countries. */
export interface CuratedCategory {
  /** In base 36, as every id. */
  id: string
  name: string
  description: string
  country_codes: readonly string[]
  /** What its publishers' videos are about. */
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
  curated('9b1', 'Football highlights', 'Goals and the best scenes of the leagues.', [...EUROPE, 'BR', 'NG'], 'se'),
  curated('9b2', 'Basketball and American football', 'Games, scenes and talk of the leagues.', ['CA', 'US'], 'se'),
  curated('9b3', 'Cricket', 'Matches and their best scenes.', ['AU', 'GB', 'IN', 'NZ', 'ZA'], 'se'),
  curated('9b4', 'Baseball', 'Games of the season and their best scenes.', ['JP', 'KR', 'US'], 'se'),
  curated('9b5', 'Motor sports', 'Races on roads and tracks.', EVERYWHERE, 'ru', 'se'),
  curated('9b6', 'Esports and games', 'Tournaments, trailers and people who play.', EVERYWHERE, 's0'),
  curated('9b7', 'Premium news', 'Publishers that report what happens in the world.', ENGLISH, 'sr', 's4'),
  curated('9b8', 'Business and markets', 'Companies, markets and money.', [...ENGLISH, 'IN', 'JP'], 'sn'),
  curated('9b9', 'Technology', 'New devices, software and those who make them.', EVERYWHERE, 'sg'),
  curated('9ba', 'Science and nature', 'How things are and how they work.', ENGLISH, 'ss'),
  curated('9bb', 'Film and television', 'Trailers, shows and the people in them.', EVERYWHERE, 'sh', 'sm'),
  curated('9bc', 'Music', 'Songs, stages and those who stand on them.', EVERYWHERE, 'sq'),
  curated('9bd', 'Comedy', 'Sketches, shows and other things to laugh about.', [...ENGLISH, ...AMERICAS], 'sk'),
  curated('9be', 'Food', 'Recipes, kitchens and places to eat.', EUROPE, 'so'),
  curated('9bf', 'Style and travel', 'What to wear, where to go and how to feel well.', EUROPE, 'sp'),
  curated('9bg', 'Creators', 'People who publish for a public of their own.', AMERICAS, 'sl'),
]

/** When the categories were picked. */
export const CURATED_AT = '2022-10-27T00:00:00Z'

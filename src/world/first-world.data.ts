import type { UserDraft } from '../social/users/create-user.ts'

/** The users of the first world; the first owns the first apps. */
export const FIRST_USERS: (Omit<UserDraft, 'password'> & { username: string })[] = [
  {
    username: 'alice',
    name: 'Alice Moreau',
    email: 'alice@example.com',
    description: 'Builds small things that last. Owner of the first app.',
    location: 'Lisbon',
    url: 'https://example.com/alice',
    subscription_type: 'Premium',
    verified_type: 'blue',
  },
  {
    username: 'bob',
    name: 'Bob Okafor',
    email: 'bob@example.com',
    description: 'Maps, trains and weather.',
    location: 'Lagos',
  },
  {
    username: 'chika',
    name: 'Chika Tanaka',
    email: 'chika@example.com',
    description: '写真と自転車。 Photos and bicycles.',
    location: 'Osaka',
    subscription_type: 'PremiumPlus',
    verified_type: 'blue',
  },
  {
    username: 'dario',
    name: 'Dario Conti',
    email: 'dario@example.com',
    description: 'Cooks, writes about it, eats it.',
    location: 'Turin',
  },
  {
    username: 'erin',
    name: 'Erin Walsh',
    email: 'erin@example.com',
    description: 'A protected account.',
    location: 'Cork',
    protected: true,
  },
]

export const FIRST_COMMUNITY = { name: 'Neighbourhood gardeners', description: 'Seeds, soil and patience.' }

const place = (
  id: string,
  name: string,
  country: string,
  code: string,
  type: 'city' | 'country',
  bbox: [number, number, number, number],
  within: string[],
) => ({
  id,
  full_name: type === 'city' ? `${name}, ${country}` : name,
  name,
  country,
  country_code: code,
  place_type: type,
  bbox,
  contained_within: within,
})

/** Places that posts can name. A box is west, south, east, north. */
export const FIRST_PLACES = [
  place('a1f0c2d4e5b60001', 'Portugal', 'Portugal', 'PT', 'country', [-9.52, 36.96, -6.19, 42.15], []),
  place('a1f0c2d4e5b60002', 'Lisbon', 'Portugal', 'PT', 'city', [-9.23, 38.69, -9.09, 38.8], ['a1f0c2d4e5b60001']),
  place('a1f0c2d4e5b60003', 'Nigeria', 'Nigeria', 'NG', 'country', [2.67, 4.27, 14.68, 13.89], []),
  place('a1f0c2d4e5b60004', 'Lagos', 'Nigeria', 'NG', 'city', [3.1, 6.39, 3.7, 6.7], ['a1f0c2d4e5b60003']),
  place('a1f0c2d4e5b60005', 'Japan', 'Japan', 'JP', 'country', [122.93, 24.04, 153.99, 45.55], []),
  place('a1f0c2d4e5b60006', 'Osaka', 'Japan', 'JP', 'city', [135.37, 34.58, 135.6, 34.77], ['a1f0c2d4e5b60005']),
  place('a1f0c2d4e5b60007', 'Italy', 'Italy', 'IT', 'country', [6.63, 35.49, 18.52, 47.09], []),
  place('a1f0c2d4e5b60008', 'Turin', 'Italy', 'IT', 'city', [7.58, 45.01, 7.77, 45.14], ['a1f0c2d4e5b60007']),
  place('a1f0c2d4e5b60009', 'Ireland', 'Ireland', 'IE', 'country', [-10.48, 51.42, -5.99, 55.39], []),
  place('a1f0c2d4e5b6000a', 'Cork', 'Ireland', 'IE', 'city', [-8.63, 51.85, -8.39, 51.94], ['a1f0c2d4e5b60009']),
  place('a1f0c2d4e5b6000b', 'United States', 'United States', 'US', 'country', [-124.85, 24.4, -66.89, 49.38], []),
  place(
    'a1f0c2d4e5b6000c',
    'New York',
    'United States',
    'US',
    'city',
    [-74.26, 40.48, -73.7, 40.92],
    ['a1f0c2d4e5b6000b'],
  ),
  place('a1f0c2d4e5b6000d', 'Germany', 'Germany', 'DE', 'country', [5.87, 47.27, 15.04, 55.06], []),
  place('a1f0c2d4e5b6000e', 'Berlin', 'Germany', 'DE', 'city', [13.09, 52.34, 13.76, 52.68], ['a1f0c2d4e5b6000d']),
  place('a1f0c2d4e5b6000f', 'Brazil', 'Brazil', 'BR', 'country', [-73.99, -33.77, -34.73, 5.24], []),
  place(
    'a1f0c2d4e5b60010',
    'São Paulo',
    'Brazil',
    'BR',
    'city',
    [-46.83, -24.01, -46.37, -23.36],
    ['a1f0c2d4e5b6000f'],
  ),
]

interface FirstPost {
  by: string
  text: string
  key?: string
  answers?: string
  quotes?: string
  poll?: string[]
  place?: string
  inCommunity?: boolean
  pinned?: boolean
}

/** The posts of the first users, in order. */
export const FIRST_POSTS: FirstPost[] = [
  {
    by: 'alice',
    key: 'hello',
    text: 'Hello from a server of my own. First post, more to come. #firstpost',
    pinned: true,
    place: 'a1f0c2d4e5b60002',
  },
  { by: 'bob', answers: 'hello', key: 'welcome', text: '@alice welcome! How long did the start take?' },
  { by: 'alice', answers: 'welcome', text: '@bob about as long as it takes to read https://example.com/how-it-works' },
  {
    by: 'chika',
    key: 'ride',
    text: '今日は大阪を自転車で走りました。風が気持ちよかったです。',
    place: 'a1f0c2d4e5b60006',
  },
  { by: 'bob', quotes: 'ride', text: 'I want to do this ride one day. The map is half drawn already. #cycling' },
  {
    by: 'dario',
    key: 'question',
    text: 'What shall I cook on Sunday?',
    poll: ['Risotto', 'Gnocchi', 'Something green', 'Order pizza'],
  },
  { by: 'alice', answers: 'question', text: '@dario something green, please.' },
  { by: 'dario', text: 'Markets open late today. Watching $ACME and the tomatoes.' },
  { by: 'erin', text: 'Only my followers read this one.' },
  { by: 'bob', text: 'Rain over the lagoon at six, clear by eight. #weather', place: 'a1f0c2d4e5b60004' },
  { by: 'chika', inCommunity: true, text: 'The beans are up! Two weeks earlier than last year.' },
  { by: 'dario', text: 'Ricetta del giorno: pane, olio, e un po’ di pazienza. #cucina' },
]

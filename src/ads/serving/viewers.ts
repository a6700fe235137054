import type { Runtime } from '../../api-kit/runtime.ts'
import type { Db } from '../../storage/database.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { countryOf } from '../targeting-options/country-of.ts'
import { findLocation, locations } from '../targeting-options/locations.ts'
import type { Viewer } from './look.ts'

/** The columns of a viewer. */
export const VIEWER_COLUMNS = {
  number: 'int4',
  user_id: 'int8?',
  language: 'text?',
  locations: 'text[]',
  age: 'int2?',
  gender: 'int2?',
  platform: 'text?',
  platform_version: 'text?',
  device: 'text?',
  network_operator: 'text?',
  network_months: 'int2?',
  wifi_only: 'bool',
  interests: 'text[]',
  app_categories: 'text[]',
} as const
const NAMES = Object.keys(VIEWER_COLUMNS).join(', ')

const viewersRead = statement(
  'ads_viewers_read',
  VIEWER_COLUMNS,
  `select ${NAMES} from ads_viewer where user_id = any($1::bigint[])`,
)
const viewersSample = statement(
  'ads_viewers_sample',
  VIEWER_COLUMNS,
  `select ${NAMES} from ads_viewer order by number desc limit $1`,
)
const userFacts = statement(
  'ads_viewer_facts',
  { location: 'text', language: 'text?' },
  `select u.location, (select p.lang from (select lang from post where author_id = u.id order by id desc limit 20) p
                        where p.lang <> all('{und,qme,qht,qam,qst,zxx,art}') group by 1 order by count(*) desc, 1 limit 1) as language
     from user_account u where u.id = $1`,
)
const viewerAdd = statement(
  'ads_viewer_add',
  {},
  `insert into ads_viewer (user_id, language, locations, platform) values ($1, $2, $3::text[], $4)
   on conflict (user_id) do nothing`,
)

/** A row as a viewer. */
export const viewerOfRow = (row: RowOf<typeof VIEWER_COLUMNS>): Viewer => ({
  number: row.number,
  userId: row.user_id ?? '',
  language: row.language,
  locations: row.locations,
  age: row.age,
  gender: row.gender as 1 | 2 | null,
  platform: row.platform,
  platformVersion: row.platform_version,
  device: row.device,
  networkOperator: row.network_operator,
  networkMonths: row.network_months,
  wifiOnly: row.wifi_only,
  interests: row.interests,
  appCategories: row.app_categories,
})

/** Viewers that are known, by user. */
export async function readViewers(db: Db, userIds: readonly string[]): Promise<Map<string, Viewer>> {
  const rows = await viewersRead.all(db, userIds)
  return new Map(rows.map((row) => [row.user_id!, viewerOfRow(row)]))
}

/** Some viewers, who stand for all. */
export const sampleViewers = async (db: Db, count: number): Promise<Viewer[]> =>
  (await viewersSample.all(db, count)).map(viewerOfRow)

/** Desktop and laptop computers: what is known about somebody who reads pages. */
const DESKTOP = '4'

/** A user as a viewer. For somebody new it is noted what is known: where they say they live, and in which language they post. */
export async function viewerOf({ database }: Runtime, userId: string): Promise<Viewer> {
  const known = (await readViewers(database, [userId])).get(userId)
  if (known) return known
  const facts = await userFacts.first(database, userId)
  await viewerAdd.count(database, userId, facts?.language ?? null, locationsOf(facts?.location ?? ''), DESKTOP)
  return (await readViewers(database, [userId])).get(userId)!
}

/** The targeting values of where a profile says somebody lives, from the country to the city. */
function locationsOf(profile: string): string[] {
  const code = countryOf(profile)
  if (!code) return []
  const words = profile.toLowerCase()
  const within = locations().filter(
    (item) =>
      item.countryCode === code &&
      (item.type === 'COUNTRIES' ||
        (item.type === 'CITIES' && item.written.some((name) => words.includes(name.toLowerCase())))),
  )
  const city = within.find((item) => item.type === 'CITIES')
  const region =
    city?.region &&
    locations().find((item) => item.type === 'REGIONS' && item.countryCode === code && item.region === city.region)
  return [within.find((item) => item.type === 'COUNTRIES'), region, city].flatMap((item) =>
    item && findLocation(item.value) ? [item.value] : [],
  )
}

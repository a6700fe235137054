import type { Runtime } from '../../api-kit/runtime.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { readClickId } from './click-id.ts'

/** What a website knows about somebody. Hashes are SHA-256 in lower-case hex. */
export interface Identifiers {
  clickIds: readonly string[]
  emails: readonly string[]
}

/** Somebody who was shown ads, and the ad that they clicked, if a click id names it. */
export interface KnownViewer {
  viewer: number
  clicked: string | undefined
}

// The expression is that of the index on users' hashes, letter for letter.
const viewersOfEmails = statement(
  'ads_viewers_of_emails',
  { hash: 'text', viewer: 'int4' },
  `select encode(h.hash, 'hex') as hash, v.number as viewer from unnest($1::bytea[]) as h (hash)
     join user_sign_in s on sha256(replace(lower(btrim(s.email)), '\\', '\\\\')::bytea) = h.hash and s.email_confirmed and s.email is not null
     join ads_viewer v on v.user_id = s.user_id`,
)

/** Who they are, in the order of what was given: by a click, else by a confirmed address. */
export async function findViewers(
  { database, secretBox }: Pick<Runtime, 'database' | 'secretBox'>,
  given: readonly Identifiers[],
): Promise<(KnownViewer | undefined)[]> {
  const clicks = given.map((item) => {
    for (const text of item.clickIds) {
      const impression = readClickId({ secretBox }, text)
      if (impression) return impression
    }
    return undefined
  })
  const hashes = [...new Set(given.flatMap((item, at) => (clicks[at] ? [] : item.emails)))]
  const byEmail = new Map(
    hashes.length === 0
      ? []
      : (
          await viewersOfEmails.all(
            database,
            hashes.map((hash) => Buffer.from(hash, 'hex')),
          )
        ).map((row) => [row.hash, row.viewer]),
  )
  return given.map((item, at) => {
    const click = clicks[at]
    if (click) return { viewer: click.viewer, clicked: click.impressionId }
    const email = item.emails.find((hash) => byEmail.has(hash))
    return email === undefined ? undefined : { viewer: byEmail.get(email)!, clicked: undefined }
  })
}

const viewerOfDevices = statement(
  'ads_viewer_of_devices',
  { viewer: 'int4', locations: 'text[]' },
  'select number as viewer, locations from ads_viewer where device_hash = any($1::text[]) order by number limit 1',
)

/** The viewer who uses a device, by any of its hashes. */
export const findViewerOfDevice = (
  db: Db,
  hashes: readonly string[],
): Promise<{ viewer: number; locations: string[] } | undefined> => viewerOfDevices.first(db, [...hashes])

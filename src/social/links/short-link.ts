import { createHash } from 'node:crypto'
import { SHORT_LINK_BASE } from '../../legacy-words.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const CODE_LENGTH = 10

const linksAdd = statement(
  'short_links_add',
  {},
  'insert into short_link (code, url) select * from unnest($1::text[], $2::text[]) on conflict do nothing',
)

/** The code of an address: the same address always has the same one. */
function shortCode(url: string): string {
  const letters = createHash('sha256').update(url).digest('base64').replace(/[+/=]/g, '')
  return letters.slice(0, CODE_LENGTH)
}

/** The short form that an address has in a text. */
export const shortLink = (url: string): string => SHORT_LINK_BASE + shortCode(url)

/** Keeps where short links lead. */
export async function storeLinks(tx: Tx, urls: readonly string[]): Promise<void> {
  // In one order everywhere, so that two posts with the same links never wait for each other.
  const codes = [...new Map(urls.map((url) => [shortCode(url), url]))].sort(([left], [right]) =>
    left < right ? -1 : 1,
  )
  if (codes.length === 0) return
  await linksAdd.count(
    tx,
    codes.map(([code]) => code),
    codes.map(([, url]) => url),
  )
}

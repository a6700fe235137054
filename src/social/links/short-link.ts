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

/** The code of a url: the same url always has the same code. */
function shortCode(url: string): string {
  const letters = createHash('sha256').update(url).digest('base64').replace(/[+/=]/g, '')
  return letters.slice(0, CODE_LENGTH)
}

let linkBase = SHORT_LINK_BASE

/** What short links of new texts begin with. A process has one, by its settings; stored texts keep theirs. */
export function setLinkBase(linkHost: string, baseUrl: string): void {
  linkBase = linkHost === '' ? SHORT_LINK_BASE : linkHost === 'own' ? `${baseUrl}/i/links/` : `https://${linkHost}/`
}

/** What short links may begin with: as they are written now, and as the platform writes them. */
export const linkBases = (): [string, string] => [linkBase, SHORT_LINK_BASE]

/** The address of a code. */
const shortLinkOf = (code: string): string => linkBase + code

/** The code of a short link; undefined for other addresses. */
export function shortCodeOf(link: string): string | undefined {
  const base = linkBases().find((one) => link.startsWith(one))
  return base === undefined ? undefined : /^\w{1,20}$/.exec(link.slice(base.length))?.[0]
}

/** The short form of a url in a text. */
export const shortLink = (url: string): string => shortLinkOf(shortCode(url))

/** Codes and urls as columns, in one order everywhere, so concurrent writers of the same links never deadlock. */
export function linkColumns(urls: readonly string[]): { codes: string[]; urls: string[] } {
  const sorted = [...new Map(urls.map((url) => [shortCode(url), url]))].sort(([left], [right]) =>
    left < right ? -1 : 1,
  )
  return { codes: sorted.map(([code]) => code), urls: sorted.map(([, url]) => url) }
}

/** Stores the targets of short links. */
export async function storeLinks(tx: Tx, urls: readonly string[]): Promise<void> {
  const columns = linkColumns(urls)
  if (columns.codes.length > 0) await linksAdd.count(tx, columns.codes, columns.urls)
}

import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { type AdsError, notFound } from '../kit/errors.ts'

const cardsByUri = statement(
  'ads_posts_cards',
  { card_uri: 'text', name: 'text' },
  'select card_uri, name from ads_card where account_id = $1 and card_uri = any($2::text[]) and not deleted',
)

/** Names of an account's cards by their URIs. */
export async function cardNames(db: Db, accountId: string, uris: readonly string[]): Promise<Map<string, string>> {
  if (uris.length === 0) return new Map()
  return new Map((await cardsByUri.all(db, accountId, uris)).map((row) => [row.card_uri, row.name]))
}

/** The error of a card that the account does not have. */
export async function cardErrors(db: Db, accountId: string, uri: string | null | undefined): Promise<AdsError[]> {
  if (uri === null || uri === undefined) return []
  const found = await cardNames(db, accountId, [uri])
  return found.has(uri) ? [] : [notFound('CARD_NOT_FOUND', 'card_uri', uri)]
}

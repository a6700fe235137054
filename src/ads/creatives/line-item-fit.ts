import type { Db } from '../../storage/database.ts'
import { lineItems } from '../campaigns/line-item.entity.ts'
import type { LineItem } from '../campaigns/line-item.fields.ts'
import { AdsError, AdsProblem, notFound } from '../kit/errors.ts'
import { toBase36 } from '../kit/values.ts'

/** The line item that a request names; throws when it does not exist or is deleted. */
export async function findLineItem(db: Db, accountId: string, id: string): Promise<LineItem> {
  const lineItem = (await lineItems.records(db, accountId, [id])).get(id)
  if (!lineItem || lineItem.deleted) throw new AdsProblem([notFound(lineItems.notFound, 'line_item_id', toBase36(id))])
  return lineItem
}

/** The error for a line item that cannot have a creative. */
export const incompatibleLineItem = (details: string): AdsError =>
  new AdsError('INCOMPATIBLE_LINE_ITEM', 'The line item is not compatible with this', {
    parameter: 'line_item_id',
    details,
  })

const isNetworkPlacement = (placement: string) => placement === 'PUBLISHER_NETWORK' || placement.startsWith('TAP_')

/** Whether a line item shows images on the publisher network. */
export const isOnNetwork = (lineItem: LineItem): boolean => lineItem.placements.some(isNetworkPlacement)

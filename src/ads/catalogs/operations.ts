import type { AdsOperation } from '../kit/operation.ts'
import { catalogOperations } from './catalog-operations.ts'
import { productOperations } from './product-operations.ts'
import { productSetOperations } from './product-set-operations.ts'
import { scheduledFeedOperations } from './scheduled-feed-operations.ts'

/** Catalogs, products, product sets and scheduled feeds. */
export const catalogsOperations: readonly AdsOperation[] = [
  ...catalogOperations,
  ...productOperations,
  ...productSetOperations,
  ...scheduledFeedOperations,
]

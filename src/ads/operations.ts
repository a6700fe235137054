import { abTests } from './ab-tests/ab-test.entity.ts'
import { accountOperations } from './accounts/account-operations.ts'
import { audienceOperations } from './audiences/audience-operations.ts'
import { biddingOperations } from './campaigns/bidding-operations.ts'
import { campaignOperations } from './campaigns/campaign.entity.ts'
import { fundingInstruments } from './campaigns/funding-instrument.entity.ts'
import { lineItemOperations } from './campaigns/line-item.entity.ts'
import { lineItemCuratedCategories } from './campaigns/line-item-curated-category.entity.ts'
import { cardOperations } from './cards/card-operations.ts'
import { catalogsOperations } from './catalogs/operations.ts'
import { categoryOperations } from './categories/category-operations.ts'
import { curatedCategoryOperations } from './categories/curated-category-operations.ts'
import { creativeOperations } from './creatives/creative-operations.ts'
import { insightOperations } from './insights/keyword-insights-operation.ts'
import type { AdsOperation } from './kit/operation.ts'
import { measurementOperations } from './measurement/measurement-operations.ts'
import { postOperations } from './posts/post-operations.ts'
import { recommendationOperations } from './recommendations/recommendation-operations.ts'
import { statisticsOperations } from './statistics/operations.ts'
import { targetingOperations } from './targeting/targeting-operations.ts'

/** Every operation of the advertising interface. */
export const adsOperations: readonly AdsOperation[] = [
  ...accountOperations,
  ...fundingInstruments.operations,
  ...campaignOperations,
  ...lineItemOperations,
  ...creativeOperations,
  ...postOperations,
  ...cardOperations,
  ...biddingOperations,
  ...lineItemCuratedCategories.operations,
  ...categoryOperations,
  ...curatedCategoryOperations,
  ...insightOperations,
  ...audienceOperations,
  ...catalogsOperations,
  ...targetingOperations,
  ...recommendationOperations,
  ...abTests.operations,
  ...measurementOperations,
  ...statisticsOperations,
]

import { createAudienceEstimate } from '../audience-estimates/audience-estimate-operation.ts'
import { lookupOperations } from '../targeting-options/lookup-operations.ts'
import { listTargetingSuggestions } from '../targeting-options/suggestions-operation.ts'
import { talkLookupOperations } from '../targeting-options/talk-lookup-operations.ts'
import { appLists } from './app-list.entity.ts'
import './app-platforms.ts'
import { criteriaOperations } from './criteria-operations.ts'

/** Everything about whom line items reach. */
export const targetingOperations = [
  ...criteriaOperations,
  ...lookupOperations,
  ...talkLookupOperations,
  listTargetingSuggestions,
  createAudienceEstimate,
  ...appLists.operations,
]

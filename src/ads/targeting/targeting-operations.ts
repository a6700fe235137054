import { appListOperations } from './app-list.entity.ts'
import { createAudienceEstimate } from './audience-estimate-operation.ts'
import { criteriaOperations } from './criteria-operations.ts'
import { lookupOperations } from './lookup-operations.ts'
import { listTargetingSuggestions } from './suggestions-operation.ts'
import { talkLookupOperations } from './talk-lookup-operations.ts'

/** Everything about whom line items reach. */
export const targetingOperations = [
  ...criteriaOperations,
  ...lookupOperations,
  ...talkLookupOperations,
  listTargetingSuggestions,
  createAudienceEstimate,
  ...appListOperations,
]

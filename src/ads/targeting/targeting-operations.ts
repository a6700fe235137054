import { createAudienceEstimate } from '../audience-estimates/audience-estimate-operation.ts'
import { lookupOperations } from '../targeting-options/lookup-operations.ts'
import { listTargetingSuggestions } from '../targeting-options/suggestions-operation.ts'
import { talkLookupOperations } from '../targeting-options/talk-lookup-operations.ts'
import { appLists } from './app-list.entity.ts'
import './app-platforms.ts'
import { targetingCriteria } from './targeting-criterion.entity.ts'

/** Targeting criteria, their options and estimates, and app lists. */
export const targetingOperations = [
  ...targetingCriteria.operations,
  ...lookupOperations,
  ...talkLookupOperations,
  listTargetingSuggestions,
  createAudienceEstimate,
  ...appLists.operations,
]

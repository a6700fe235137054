import { audiencePermissionOperations } from './audience-permission.entity.ts'
import { customAudienceOperations } from './custom-audience-operations.ts'
import { updateCustomAudienceUsers } from './custom-audience-users.ts'
import { doNotReachListOperations } from './do-not-reach-list.entity.ts'
import { batchDoNotReachListUsers } from './do-not-reach-users.ts'
import { targetedByOperation } from './targeted-by.ts'

/** Audiences, who is in them, who may use them, and who is left out. */
export const audienceOperations = [
  ...customAudienceOperations,
  updateCustomAudienceUsers,
  ...audiencePermissionOperations,
  targetedByOperation,
  ...doNotReachListOperations,
  batchDoNotReachListUsers,
]

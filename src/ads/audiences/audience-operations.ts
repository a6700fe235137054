import { audiencePermissionOperations } from './audience-permission.entity.ts'
import { customAudiences } from './custom-audience.entity.ts'
import { updateCustomAudienceUsers } from './custom-audience-users.ts'
import { doNotReachLists } from './do-not-reach-list.entity.ts'
import { batchDoNotReachListUsers } from './do-not-reach-users.ts'
import { reachedAudiences } from './reached-audience.entity.ts'
import './retargeting.ts'
import { targetedByOperation } from './targeted-by.ts'

/** Audiences, their users and permissions, and Do Not Reach lists. */
export const audienceOperations = [
  ...reachedAudiences.operations,
  ...customAudiences.operations,
  updateCustomAudienceUsers,
  ...audiencePermissionOperations,
  targetedByOperation,
  ...doNotReachLists.operations,
  batchDoNotReachListUsers,
]

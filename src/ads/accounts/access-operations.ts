import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import { PERMISSIONS } from '../kit/access.ts'
import { defineAdsOperation } from '../kit/operation.ts'

const getAuthenticatedUserAccess = defineAdsOperation({
  id: 'getAuthenticatedUserAccess',
  route: 'GET /12/accounts/{account_id}/authenticated_user_access',
  tag: 'Authenticated User Access',
  summary: "Get the caller's permissions on the account",
  data: component(
    'AuthenticatedUserAccess',
    Type.Object({ user_id: Type.String({ pattern: '^[0-9]+$' }), permissions: Type.Array(words(PERMISSIONS)) }),
  ),
  handle: async ({ user, account }) => ({ data: { user_id: user.id, permissions: account.permissions } }),
})

export const accessOperations = [getAuthenticatedUserAccess]

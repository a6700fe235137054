import type { Caller } from '../api-kit/declaring/caller.ts'
import { userOf } from '../api-kit/declaring/operation.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'

/** Rejects a path that names a user other than the caller. */
export function checkOwnPath(caller: Caller, id: string, parameter = 'id'): void {
  const own = userOf(caller).id
  if (id === own) return
  throw invalidParameter(
    parameter,
    id,
    `The \`${parameter}\` query parameter value [${id}] must be the same as the authenticating user [${own}]`,
  )
}

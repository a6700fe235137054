import { accountAccessPart } from '../../ads/kit/access.ts'
import { parseBase36 } from '../../ads/kit/values.ts'
import { Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { blank } from '../../api-kit/writing/problems.ts'

export const AccountId = Type.String({ pattern: '^[0-9a-z]{1,13}$' })

/** The account with an id. */
export async function findAccount(runtime: Runtime, text: string): Promise<string> {
  const id = parseBase36(text)
  const found = id === undefined ? undefined : await runtime.parts.one(accountAccessPart, id)
  if (!found) throw blank(404, `There is no advertising account [${text}].`)
  return found.id
}

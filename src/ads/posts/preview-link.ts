import type { Runtime } from '../../api-kit/runtime.ts'
import { isStorableId } from '../../process/ids.ts'
import { sameText } from '../../process/secret-box.ts'
import { POST_STATES, type PostState } from './post-kinds.ts'

/** The post that a preview shows. */
export interface Previewed {
  state: PostState
  accountId: string
  id: string
}

const HOURS = 24
const PURPOSE = 'post preview'

/** A link to a preview page. Everyone who has the link can open it until it expires. */
export function previewLink(runtime: Runtime, { state, accountId, id }: Previewed): { url: string; hours: number } {
  const expires = Math.floor(runtime.clock.now() / 1000) + HOURS * 3600
  const token = [state, accountId, id, expires].join('.')
  return {
    url: `${runtime.baseUrl}/post-previews/${token}.${runtime.secretBox.sign(`${PURPOSE} ${token}`)}`,
    hours: HOURS,
  }
}

/** The post that a link shows; undefined for a link that is not signed by this server or has expired. */
export function readPreviewLink(runtime: Runtime, token: string): Previewed | undefined {
  const [state, accountId, id, expires, signature, ...more] = token.split('.')
  const known = POST_STATES.find((item) => item === state)
  if (!known || !accountId || !id || !expires || !signature || more.length > 0) return undefined
  if (!isStorableId(accountId) || !isStorableId(id) || !/^\d{1,12}$/.test(expires)) return undefined
  if (!sameText(signature, runtime.secretBox.sign(`${PURPOSE} ${[state, accountId, id, expires].join('.')}`)))
    return undefined
  return Number(expires) * 1000 > runtime.clock.now() ? { state: known, accountId, id } : undefined
}

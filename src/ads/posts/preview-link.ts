import type { Runtime } from '../../api-kit/runtime.ts'
import { isStorableId } from '../../process/ids.ts'
import { sameText } from '../../process/secret-box.ts'
import { POST_STATES, type PostState } from './post-kinds.ts'

/** What a preview shows. */
export interface Previewed {
  state: PostState
  accountId: string
  id: string
}

const HOURS = 24
const PURPOSE = 'post preview'

/** A link to a preview page for those who have it, and for some hours. */
export function previewLink(runtime: Runtime, { state, accountId, id }: Previewed): { url: string; hours: number } {
  const ends = Math.floor(runtime.clock.now() / 1000) + HOURS * 3600
  const token = [state, accountId, id, ends].join('.')
  return {
    url: `${runtime.baseUrl}/post-previews/${token}.${runtime.secretBox.sign(`${PURPOSE} ${token}`)}`,
    hours: HOURS,
  }
}

/** What a link shows; undefined for one that was not made here or has ended. */
export function readPreviewLink(runtime: Runtime, token: string): Previewed | undefined {
  const [state, accountId, id, ends, signature, ...more] = token.split('.')
  const known = POST_STATES.find((item) => item === state)
  if (!known || !accountId || !id || !ends || !signature || more.length > 0) return undefined
  if (!isStorableId(accountId) || !isStorableId(id) || !/^\d{1,12}$/.test(ends)) return undefined
  if (!sameText(signature, runtime.secretBox.sign(`${PURPOSE} ${[state, accountId, id, ends].join('.')}`)))
    return undefined
  return Number(ends) * 1000 > runtime.clock.now() ? { state: known, accountId, id } : undefined
}

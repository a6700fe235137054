import type { Runtime } from '../../api-kit/runtime.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { sameText } from '../../process/secret-box.ts'

export const STATS_FILES = '/ads-statistics'

const signatureOf = (runtime: Runtime, id: string, expires: string): string =>
  runtime.secretBox.sign(`statistics ${id} ${expires}`)

/**
 * The address of a job's file. It needs no credential until it expires. The signature is in the path, because the official client
 * drops the query.
 */
export function statsFileAddress(runtime: Runtime, id: string, until: Date): string {
  const expires = String(Math.floor(until.getTime() / 1000))
  return `${runtime.baseUrl}${STATS_FILES}/${id}-${expires}-${signatureOf(runtime, id, expires)}.json.gz`
}

/** The job of a file's name. Refuses a name that this server did not sign, or whose time is over. */
export function jobOfFile(runtime: Runtime, name: string): string {
  const [, id = '', expires = '', signature = ''] = /^(\d{1,19})-(\d{1,12})-([\w-]{1,100})\.json\.gz$/.exec(name) ?? []
  if (!isStorableId(id) || !sameText(signature, signatureOf(runtime, id, expires)))
    throw blank(403, 'The signature of this address is not valid.')
  if (Number(expires) * 1000 <= runtime.clock.now()) throw blank(403, 'This address has expired.')
  return id
}

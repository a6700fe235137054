import type { Runtime } from '../../api-kit/runtime.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { sameText } from '../../process/secret-box.ts'

type Purpose = 'upload' | 'download'

const signatureOf = (runtime: Runtime, purpose: Purpose, id: string, expires: string): string =>
  runtime.secretBox.sign(`compliance ${purpose} ${id} ${expires}`)

/** The address at which the holder may upload or download until a moment. It needs no credential. */
export function signedAddress(runtime: Runtime, purpose: Purpose, id: string, until: Date): string {
  const expires = String(Math.floor(until.getTime() / 1000))
  const signature = signatureOf(runtime, purpose, id, expires)
  return `${runtime.baseUrl}/compliance/jobs/${id}/${purpose}?expires=${expires}&signature=${signature}`
}

/** Refuses an address that this server did not sign, or whose time is over. */
export function checkAddress(runtime: Runtime, purpose: Purpose, id: string, rawQuery: string): void {
  const query = new URLSearchParams(rawQuery)
  const expires = query.get('expires') ?? ''
  const isSigned =
    isStorableId(id) &&
    /^\d{1,12}$/.test(expires) &&
    sameText(query.get('signature') ?? '', signatureOf(runtime, purpose, id, expires))
  if (!isSigned) throw blank(403, `The signature of this ${purpose} address is not valid.`)
  if (Number(expires) * 1000 <= runtime.clock.now()) throw blank(403, `This ${purpose} address has expired.`)
}

import { Type } from '../../api-kit/declaring/schema.ts'
import { invalidParameter } from '../kit/errors.ts'
import { type Kind, textKind } from '../kit/values.ts'

const LONGEST = 2_048
const text = textKind({ min: 1, max: LONGEST })

/** A complete http or https address. */
export const webAddressKind: Kind<string> = {
  ...text,
  schema: Type.String({ format: 'uri' }),
  read: (sent, parameter) => {
    const address = text.read(sent, parameter)
    if (typeof address !== 'string') return address
    const isWebAddress =
      /^https?:\/\/[^\s/?#]/i.test(address) &&
      !/\s/.test(address) &&
      URL.canParse(address) &&
      new URL(address).username === ''
    return isWebAddress ? address : invalidParameter(parameter, 'must be an http or https address', address)
  },
}

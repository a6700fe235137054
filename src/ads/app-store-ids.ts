import { textKind } from './kit/values.ts'

/** A package name in the app store of platform A: each part begins with a letter. */
const PACKAGE_NAME = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/
/** The number of an app in the app store of platform B. */
const STORE_NUMBER = /^[0-9]{1,20}$/

export const isStoreNumber = (id: string): boolean => STORE_NUMBER.test(id)

export const packageNameKind = textKind({ pattern: PACKAGE_NAME, says: 'must be a package name', max: 255 })
export const storeNumberKind = textKind({
  pattern: STORE_NUMBER,
  says: 'must be the numeric part of the store identifier',
  max: 20,
})
/** An app of either store. */
export const appStoreIdKind = textKind({
  pattern: new RegExp(`${STORE_NUMBER.source}|${PACKAGE_NAME.source}`),
  says: 'must be a package name or an app store number',
  max: 255,
})

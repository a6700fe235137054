/** Languages that posts here are told to be in; the codes are those of the posts. */
export const LANGUAGE_CODES: readonly string[] = (
  'am ar bg bn bo bs ca ckb cs cy da de dv el en es et eu fa fi fr gu hi hr ht hu hy in is it iw ja ka km kn ko lo lt lv ml mr my ne nl no or ' +
  'pa pl ps pt ro ru sd si sk sl sr sv ta te th tl tr ug uk ur vi zh'
).split(' ')

// Where the platform's code is an older one than that of the standard.
const STANDARD_CODES: Record<string, string> = { in: 'id', iw: 'he' }

/** The code by which the names of a language are found. */
export const standardLanguage = (code: string): string => STANDARD_CODES[code] ?? code

/** Also the standard's own spelling of a code is taken. */
export const platformLanguage = (code: string): string =>
  Object.entries(STANDARD_CODES).find(([, standard]) => standard === code)?.[0] ?? code

/** The languages that are detected in posts, with the codes that posts have. */
export const LANGUAGE_CODES: readonly string[] = (
  'am ar bg bn bo bs ca ckb cs cy da de dv el en es et eu fa fi fr gu hi hr ht hu hy in is it iw ja ka km kn ko lo lt lv ml mr my ne nl no or ' +
  'pa pl ps pt ro ru sd si sk sl sr sv ta te th tl tr ug uk ur vi zh'
).split(' ')

// Codes of the platform that are older than those of the standard.
const STANDARD_CODES: Record<string, string> = { in: 'id', iw: 'he' }

/** The standard code of a language, by which its names are found. */
export const standardLanguage = (code: string): string => STANDARD_CODES[code] ?? code

/** The platform's code of a language; also accepts the standard code. */
export const platformLanguage = (code: string): string =>
  Object.entries(STANDARD_CODES).find(([, standard]) => standard === code)?.[0] ?? code

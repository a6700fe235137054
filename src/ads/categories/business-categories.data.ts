import { type CodeSet, codeSet } from './iab-codes.ts'

/** The businesses of advertisers as sets of content category codes. A pre-roll line item has one or two complete sets. */
export const BUSINESS_CATEGORIES: readonly CodeSet[] = [
  codeSet('1jl', 'Consumer Packaged Goods', 'IAB4 IAB6 IAB10 IAB16 IAB22 IAB23 IAB9-1..6 IAB9-8..29 IAB9-31'),
  codeSet('1jm', 'Health & Pharma', 'IAB7'),
  codeSet('1jn', 'Alcohol', 'IAB8-5 IAB8-18'),
  codeSet('1jo', 'Dining', 'IAB8-1..4 IAB8-6..17'),
  codeSet('1jp', 'Financial Services', 'IAB3 IAB13 IAB21'),
  codeSet('1jq', 'Retail', 'IAB18'),
  codeSet('1jr', 'Travel', 'IAB20'),
  codeSet('1js', 'Gaming', 'IAB9-30'),
  codeSet('1jt', 'Technology', 'IAB5 IAB15 IAB19-1..5 IAB19-7..17 IAB19-19..36'),
  codeSet('1ju', 'Telecommunication', 'IAB19-6 IAB19-18'),
  codeSet('1jv', 'Auto', 'IAB2'),
  codeSet('1jw', 'Media & Entertainment', 'IAB12 IAB17 IAB1-1..7 IAB14-2..8 IAB25-1'),
  codeSet('1jx', 'Politics', 'IAB11-4'),
  codeSet('1jy', 'Gambling', 'IAB9-7'),
  codeSet('1jz', 'Dating', 'IAB14-1'),
  codeSet('1k0', 'Non-Profit', 'IAB11-1..3 IAB11-5'),
]

/** The codes of all sets that share a code with `codes`, the number of those sets, and the codes that are in none. */
export function widenToFullSets(codes: readonly string[]): { codes: string[]; sets: number; unknown: string[] } {
  const sets = BUSINESS_CATEGORIES.filter((item) => item.iab_categories.some((code) => codes.includes(code)))
  const all = sets.flatMap((item): string[] => [...item.iab_categories])
  return { codes: all, sets: sets.length, unknown: codes.filter((code) => !all.includes(code)) }
}

import type { Difference } from './compare-interface.ts'

/** A difference from the reference that is there on purpose. */
export interface ListedDifference extends Difference {
  reason: string
}

/** Differences that have everything but their position in common. */
export const group = (reason: string, ours: string, reference: string, at: string[]): ListedDifference[] =>
  at.map((item) => ({ at: item, ours, reference, reason }))
/** What only we have. */
export const added = (reason: string, at: string[]) => group(reason, 'yes', 'no', at)
/** What only the reference has. */
export const missing = (reason: string, at: string[]) => group(reason, 'no', 'yes', at)

export const lineOf = ({ at, ours, reference }: Difference) => `${at} | ours: ${ours} | reference: ${reference}`

/** One message with everything that differs without being listed, and is listed without differing; empty when all is as listed. */
export function reportDifferences(found: Difference[], listed: ListedDifference[], list: string): string {
  const [have, expected] = [found, listed].map((items) => new Set(items.map(lineOf))) as [Set<string>, Set<string>]
  const unexpected = [...have].filter((line) => !expected.has(line)).sort()
  const stale = [...expected].filter((line) => !have.has(line)).sort()
  return [
    ...section(
      `differ from the reference and are not in ${list}; correct them, or list them with a reason`,
      '+',
      unexpected,
    ),
    ...section(`are in ${list} and do not differ any more; remove them`, '-', stale),
  ].join('\n')
}

const section = (heading: string, mark: string, lines: string[]) =>
  lines.length === 0 ? [] : [`${lines.length} ${heading}:`, ...lines.map((line) => `  ${mark} ${line}`)]

/** Entries that are listed twice, or without a reason that somebody can read. */
export function unclearEntries(listed: ListedDifference[]): string[] {
  const lines = listed.map(lineOf)
  return listed
    .filter((item, index) => lines.indexOf(lines[index]!) !== index || item.reason.trim().length < 10)
    .map(lineOf)
}

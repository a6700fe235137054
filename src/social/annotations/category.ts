import { entitiesOf } from './dictionary.ts'

const DOMAINS_OF: readonly [category: string, domains: string][] = [
  ['Sports', '6 11 12 26 60 92 93 137'],
  ['Entertainment', '3 23 54 55 56 58 71 78 79 84 85 86 87 89 90 91 114 118 120 122 130'],
  ['Politics', '35 88'],
  ['Business & Finance', '45 46 47 165 174'],
  ['Technology', '48 164'],
  ['Science', '163 157'],
  ['Weather', '155 175'],
  ['Holidays', '119'],
  ['Travel & Places', '13 156 158 159 160'],
]

const categories = new Map(DOMAINS_OF.flatMap(([name, ids]) => ids.split(' ').map((id) => [id, name] as const)))
const order = DOMAINS_OF.map(([name]) => name)

/** The category of what has no other. */
export const OTHER_CATEGORY = 'Other'

/** The category of most of some entities; of two with the same number the more specific one. */
export function categoryOf(entityIds: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const { domains } of entitiesOf(entityIds)) {
    const name = domains
      .flatMap((domain) => categories.get(domain) ?? [])
      .sort((one, other) => order.indexOf(one) - order.indexOf(other))[0]
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const best = [...counts].sort(
    ([one, ones], [other, others]) => others - ones || order.indexOf(one) - order.indexOf(other),
  )[0]
  return best?.[0] ?? OTHER_CATEGORY
}

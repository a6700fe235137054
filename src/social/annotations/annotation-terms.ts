import { factTerm } from '../../search/post-terms.ts'
import type { AnnotationEntity } from './dictionary.ts'

/**
 * What `context:` and `entity:` find of a post: each entity in each of its domains, each domain, each entity in any domain, and
 * the names. `folded` is how the caller compares words.
 */
export function annotationTerms(
  entities: readonly AnnotationEntity[],
  writtenNames: readonly string[],
  folded: (text: string) => string,
): string[] {
  const terms = new Set<string>()
  for (const { id, name, domains } of entities) {
    terms.add(factTerm('context', `*.${id}`))
    for (const domain of domains) {
      terms.add(factTerm('context', `${domain}.${id}`))
      terms.add(factTerm('context', `${domain}.*`))
    }
    terms.add(factTerm('entity', folded(name)))
  }
  for (const name of writtenNames) terms.add(factTerm('entity', folded(name)))
  return [...terms]
}

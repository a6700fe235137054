/** One of the two spellings of an interface. Declarations use neutral names; a naming turns them into its own. */
export interface Naming {
  readonly id: 'neutral' | 'legacy'
  /** Index of this naming in tables with one item per naming. */
  readonly index: 0 | 1
  /** Renames an identifier: path, parameter, member, enumeration value. */
  rename(name: string): string
  /** The reverse, for input. */
  restore(name: string): string
}

export const neutral: Naming = { id: 'neutral', index: 0, rename: (name) => name, restore: (name) => name }

/** The words of a second naming. */
interface WordTable {
  /** Single words, neutral to legacy, in lower case; capitalised forms follow. */
  words: Record<string, string>
  /** Whole identifiers that are spelled the same in both namings. */
  fixed: string[]
}

/** Makes the legacy naming from its words. */
export function createLegacyNaming(table: WordTable): Naming {
  const fixed = new Set(table.fixed)
  const forward = withCapitals(table.words)
  const backward = withCapitals(
    Object.fromEntries(Object.entries(table.words).map(([neutralWord, legacyWord]) => [legacyWord, neutralWord])),
  )
  return {
    id: 'legacy',
    index: 1,
    rename: cached((name) => replaceWords(name, forward, fixed)),
    restore: cached((name) => replaceWords(name, backward, fixed)),
  }
}

/** Makes the legacy naming from whole identifiers, neutral to legacy: for an interface whose words follow no rule. */
export function createIdentifierNaming(identifiers: Record<string, string>): Naming {
  const forward = new Map(Object.entries(identifiers))
  const backward = new Map(Object.entries(identifiers).map(([neutralName, legacyName]) => [legacyName, neutralName]))
  const replace = (text: string, names: Map<string, string>) =>
    text.replace(/[A-Za-z][A-Za-z0-9_]*/g, (name) => names.get(name) ?? name)
  return {
    id: 'legacy',
    index: 1,
    rename: cached((name) => replace(name, forward)),
    restore: cached((name) => replace(name, backward)),
  }
}

/** True when the identifier is spelled with a word that only the legacy naming has. */
export function isLegacyName(legacy: Naming, name: string): boolean {
  return legacy.restore(name) !== name
}

function withCapitals(words: Record<string, string>): Map<string, string> {
  const both = new Map<string, string>()
  for (const [from, to] of Object.entries(words)) {
    both.set(from, to)
    both.set(capital(from), capital(to))
  }
  return both
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

// A path is renamed segment by segment and a list item by item, because fixed identifiers may be among them.
function replaceWords(name: string, words: Map<string, string>, fixed: Set<string>): string {
  return name.replace(/[^/,]+/g, (item) =>
    fixed.has(item) ? item : item.replace(/[A-Z]?[a-z]+/g, (word) => words.get(word) ?? word),
  )
}

const MAX_CACHED = 5_000
const MAX_CACHED_LENGTH = 1_000

// Bounded, because clients can send any name.
function cached(compute: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    if (name.length > MAX_CACHED_LENGTH) return compute(name)
    let result = known.get(name)
    if (result === undefined) {
      result = compute(name)
      if (known.size >= MAX_CACHED) known.clear()
      known.set(name, result)
    }
    return result
  }
}

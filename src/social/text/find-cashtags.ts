import { BLANK, isKind } from './characters.ts'
import type { TextEntity } from './text-entity.ts'

const SYMBOL = /([a-z]{1,6}(?:[._][a-z]{1,2})?)(?=$|\s|[!'#%&()*+,\\\-./:;<=>?@[\]^_{|}~$])/iy

/** The cashtags of a text, in order. */
export function findCashtags(text: string): TextEntity[] {
  const cashtags: TextEntity[] = []
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', at + 1)) {
    if (at > 0 && !isKind(BLANK, text, at - 1)) continue
    SYMBOL.lastIndex = at + 1
    const symbol = SYMBOL.exec(text)?.[0]
    if (symbol) cashtags.push({ kind: 'cashtag', start: at, end: at + 1 + symbol.length, value: symbol })
  }
  return cashtags
}

import { Composer, type CST, type Document, type LineCounter, Parser, YAMLParseError } from 'yaml'

/**
 * Parses YAML; undefined where it is nested more than `mostLevels` deep. That is found before the document is made: the library calls
 * itself for each level then, and a process that runs out of stack within a regular expression ends at once.
 */
export function parseYaml(text: string, lines: LineCounter, mostLevels: number): Document.Parsed | undefined {
  const tokens = [...new Parser(lines.addNewLine).parse(text)]
  if (tokens.some((token) => isDeeper(token, mostLevels))) return undefined
  // Whoever reads the maps compares their keys: the library compares each with all others.
  const composer = new Composer({ lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const [first, second] = composer.compose(tokens, true, text.length)
  if (second) {
    const [from, to] = second.range
    first!.errors.push(new YAMLParseError([from, to], 'MULTIPLE_DOCS', 'A world file is one document'))
  }
  return first
}

function isDeeper(root: CST.Token, mostLevels: number): boolean {
  const open = [{ token: root, level: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, level } = next
    if (level > mostLevels) return true
    for (const inner of partsOf(token)) open.push({ token: inner, level: level + 1 })
  }
  return false
}

function partsOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : []
  if (!('items' in token)) return []
  return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part !== null && part !== undefined))
}

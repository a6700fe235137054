import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const ROOT = path.join(import.meta.dirname, '../..')

/** A file of the product. */
export interface SourceFile {
  /** From `src/`, with forward slashes. */
  name: string
  text: string
  lines: string[]
}

/** Every file below `src/` with one of these endings. */
export function sourceFiles(...endings: string[]): SourceFile[] {
  const src = path.join(ROOT, 'src')
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      const text = readFileSync(file, 'utf8')
      const lines = text.replace(/\n$/, '').split('\n')
      return { name: path.relative(src, file).split(path.sep).join('/'), text, lines }
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
}

/** Lines that a pattern matches, as `file:line`, less those of the excepted files. */
export function linesWith(files: SourceFile[], pattern: RegExp, excepted: Record<string, string> = {}): string[] {
  return files
    .filter((file) => !(file.name in excepted))
    .flatMap((file) =>
      file.lines.flatMap((line, index) => (pattern.test(line) ? [`${file.name}:${index + 1}: ${line.trim()}`] : [])),
    )
}

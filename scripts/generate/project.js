// The project that a generator writes into: its folders, its reference documents, and edits of its files.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))

/** An error that is shown to the user of a generator. */
export class GeneratorError extends Error {}

export const readText = (name) => readFileSync(path.join(root, name), 'utf8')
export const readJson = (name) => JSON.parse(readText(name))
export const exists = (name) => existsSync(path.join(root, name))
export const filesIn = (folder) => (exists(folder) ? readdirSync(path.join(root, folder)) : [])

/** `getListsById` and `Ab Test` as `get-lists-by-id` and `ab-test`. */
export const kebab = (text) =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[\s_]+/g, '-')
    .toLowerCase()

/** The files that a generator writes, all or none. An existing file is never replaced. */
export class Draft {
  files = new Map()

  create(name, text) {
    if (exists(name)) throw new GeneratorError(`${name} exists already. Move it away, or choose another --folder.`)
    this.files.set(name, { text, verb: 'wrote' })
  }

  /** Changes a file by a function of its text. */
  edit(name, change) {
    const before = this.files.get(name)?.text ?? readText(name)
    const text = change(before)
    if (text === before) throw new GeneratorError(`${name} does not look as expected. Nothing was written.`)
    this.files.set(name, { text, verb: this.files.get(name)?.verb ?? 'changed' })
  }

  /** Writes and formats everything, and returns a line for each file. */
  write() {
    for (const [name, { text }] of this.files) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
      writeFileSync(path.join(root, name), text)
    }
    const code = [...this.files.keys()].filter((name) => /\.ts$/.test(name))
    const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
    const run = spawnSync(process.execPath, [biome, 'check', '--write', ...code], { cwd: root, encoding: 'utf8' })
    if (run.status !== 0) throw new Error(`The generated code could not be formatted:\n${run.stdout}${run.stderr}`)
    return [...this.files].map(([name, { verb }]) => `${verb} ${name}`)
  }
}

/** Adds an import and, before the closing bracket of an exported list, an entry. */
export function addToList(text, importLine, list, entry) {
  const start = text.search(new RegExp(`^export const ${list}\\b.*= \\[$`, 'm'))
  const end = start < 0 ? -1 : text.indexOf('\n]', start)
  return end < 0 ? text : `${importLine}\n${text.slice(0, end)}\n  ${entry},${text.slice(end)}`
}

/** Adds entries before the closing brace of `export const examples`. */
export function addToExamples(text, entries) {
  const start = text.search(/^export const examples\b.*= \{$/m)
  const end = start < 0 ? -1 : text.indexOf('\n}', start)
  return end < 0 ? text : `${text.slice(0, end)}\n${entries}${text.slice(end)}`
}

/** Reads `<name> --flag value`, runs a generator, and prints what it did. */
export function runGenerator(generate, usage) {
  try {
    const words = process.argv.slice(2)
    const flags = {}
    const names = []
    while (words.length > 0) {
      const word = words.shift()
      if (!word.startsWith('--')) names.push(word)
      else if (word === '--list') flags.list = true
      else if (word === '--folder' && /^[a-z0-9-]+$/.test(words[0] ?? '')) flags.folder = words.shift()
      else throw new GeneratorError(usage)
    }
    if (names.length !== 1 && !flags.list) throw new GeneratorError(usage)
    console.log(generate(names[0], flags).join('\n'))
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

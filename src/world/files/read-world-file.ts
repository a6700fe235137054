import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  type Scalar,
} from 'yaml'
import type { TSchema } from '../../api-kit/declaring/schema.ts'
import { parseYaml } from './parse-yaml.ts'
import { Id, Moment, UserRef } from './schema-values.ts'
import { WorldSchema } from './world.schema.ts'
import { WorldFileError } from './world-file-error.ts'
import { resolveAliases } from './yaml-aliases.ts'

/** A world file that was read: its content, and where each value is. */
export interface WorldFile {
  name: string
  world: unknown
  /** The sentences about paths such as `$.world.posts[3].author`, each with file, line and column. */
  explain(faults: readonly { path: string; message: string }[]): string
}

const MOST_BYTES = 128 * 1024 * 1024
const MOST_VALUES = 5_000_000
/** A few lines can repeat so much that reading them takes minutes. */
const MOST_REPEATED_VALUES = 200_000
/** Deeper than any world. A part that contains its own name has no end. */
const MOST_LEVELS = 100
/** The largest file that a media item can have. */
const MOST_MEDIA_BYTES = 512 * 1024 * 1024

/** Reads a world file in YAML or JSON, which is YAML too. Files of media items are read beside it. */
export function readWorldFile(file: string): WorldFile {
  return new WorldFileReader(file, readText(file)).read()
}

function readText(file: string): string {
  try {
    const wrong = faultOf(file, MOST_BYTES)
    if (wrong) throw new WorldFileError(`The world file ${file} ${wrong}.`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof WorldFileError) throw error
    throw new WorldFileError(`The world file ${file} cannot be read: ${(error as Error).message}`)
  }
}

/** Why the content of a file cannot be taken. A device or a pipe may have no end. */
function faultOf(file: string, mostBytes: number): string | undefined {
  const facts = statSync(file)
  if (!facts.isFile()) return 'is not a file'
  return facts.size > mostBytes ? `is larger than ${mostBytes} bytes` : undefined
}

class WorldFileReader {
  readonly #file: string
  readonly #lines = new LineCounter()
  readonly #document: Document.Parsed
  #values = 0
  #levels = 0
  #targets: Map<Alias, Node> | undefined

  constructor(file: string, text: string) {
    this.#file = file
    const document = parseYaml(text, this.#lines, MOST_LEVELS)
    if (!document) throw this.#tooDeep()
    this.#document = document
  }

  read(): WorldFile {
    const { errors } = this.#document
    if (errors.length > 0)
      throw new WorldFileError(
        errors
          .slice(0, 10)
          .map((item) => this.#at(item.pos[0], item.message))
          .join('\n'),
      )
    const world = this.#document.contents === null ? {} : this.#convert(this.#document.contents, WorldSchema)
    return { name: this.#file, world, explain: (faults) => this.#explain(faults) }
  }

  /**
   * A node as a value. A scalar becomes text where the schema wants text, so ids, passwords and names need no quotes: as a
   * number, an id of 19 digits would lose some.
   */
  #convert(node: Node | null, schema: TSchema | undefined): unknown {
    this.#values += 1
    if (this.#values > MOST_VALUES) throw new WorldFileError(`${this.#file} has more than ${MOST_VALUES} values.`)
    if (node === null) return null
    if (isScalar(node)) return this.#convertScalar(node, schema)
    this.#levels += 1
    if (this.#levels > MOST_LEVELS) throw this.#tooDeep()
    const value = this.#convertCollection(node, schema)
    this.#levels -= 1
    return value
  }

  #convertCollection(node: Node, schema: TSchema | undefined): unknown {
    if (isAlias(node)) return this.#convert(this.#targetOf(node), schema)
    if (isMap(node)) return this.#convertMap(node.items as { key: ParsedNode; value: ParsedNode | null }[], schema)
    if (isSeq(node)) {
      const items = alternatives(schema).find((part) => part.items)?.items as TSchema | undefined
      return node.items.map((item) => this.#convert(item as Node | null, items))
    }
    return null
  }

  #convertScalar(node: Scalar, schema: TSchema | undefined): unknown {
    const wantsText = alternatives(schema).some((part) => part.type === 'string')
    if (wantsText && node.value !== null && typeof node.value !== 'string') return node.source ?? String(node.value)
    return node.value
  }

  /** What an alias stands for. */
  #targetOf(alias: Alias): Node | null {
    if (!this.#targets) {
      const { targets, added } = resolveAliases(this.#document)
      if (added === Number.POSITIVE_INFINITY) throw this.#tooDeep()
      if (added > MOST_REPEATED_VALUES)
        throw new WorldFileError(
          `The world file ${this.#file} repeats more than ${MOST_REPEATED_VALUES} values by aliases.`,
        )
      this.#targets = targets
    }
    return this.#targets.get(alias) ?? null
  }

  #tooDeep(): WorldFileError {
    return new WorldFileError(`The world file ${this.#file} is nested more than ${MOST_LEVELS} levels deep.`)
  }

  #convertMap(pairs: { key: ParsedNode; value: ParsedNode | null }[], schema: TSchema | undefined): unknown {
    const parts = alternatives(schema)
    const names = new Set<string>()
    const entries = pairs.map(({ key, value }) => {
      const name = isScalar(key) ? (key.source ?? String(key.value)) : ''
      if (names.size === names.add(name).size)
        throw new WorldFileError(this.#at(key.range?.[0] ?? 0, 'Map keys must be unique'))
      const member = parts.map((part) => part.properties?.[name] as TSchema | undefined).find((item) => item)
      if (name === 'file' && member && isScalar(value)) this.#readMedia(String(value.value), value)
      return [name, this.#convert(value, member)] as const
    })
    const map = Object.fromEntries(entries.filter(([, value]) => value !== null))
    return typeof map.file === 'string' && map.data === undefined && parts.some((part) => part.properties?.draw)
      ? { ...map, data: this.#media.get(map.file) }
      : map
  }

  readonly #media = new Map<string, string>()

  #readMedia(name: string, node: ParsedNode): void {
    if (this.#media.has(name)) return
    const file = path.resolve(path.dirname(this.#file), name)
    try {
      const wrong = faultOf(file, MOST_MEDIA_BYTES)
      if (wrong) throw new Error(wrong)
      this.#media.set(name, readFileSync(file).toString('base64'))
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : (error as Error).message
      throw new WorldFileError(this.#at(node.range?.[0] ?? 0, `the file ${file} ${reason}`))
    }
  }

  #at(offset: number, message: string): string {
    const { line, col } = this.#lines.linePos(offset)
    return `${this.#file}:${line}:${col}: ${message}`
  }

  #explain(faults: readonly { path: string; message: string }[]): string {
    return faults
      .map(({ path: where, message }) => {
        const steps = stepsOf(where)
        const said = message.startsWith(`${where}: `) ? message.slice(where.length + 2) : message
        return this.#at(
          this.#offsetOf(steps, said.startsWith('is not an allowed member')),
          `${steps.map(shownStep).join('').replace(/^\./, '') || 'the file'}: ${this.#inWords(said, steps)}`,
        )
      })
      .join('\n')
  }

  /** A sentence for people: no patterns where the schema has words, and lines instead of paths. */
  #inWords(said: string, steps: readonly (string | number)[]): string {
    const schema = said.startsWith('does not match the regex pattern') ? schemaAt(steps) : undefined
    // A member has a description of its own beside that of its kind of value.
    const value = [Id, UserRef, Moment].find(({ pattern }) => pattern === schema?.pattern) ?? schema
    if (typeof value?.description === 'string') return `does not fit. ${value.description}`
    return said.replace(/\b[a-z_]+\[\d+\][\w.[\]]*/g, (path) => {
      const { line } = this.#lines.linePos(this.#offsetOf(stepsOf(`$.${path}`), false))
      return `line ${line}`
    })
  }

  /** Where a value, or its name, is; of one that is missing, where the nearest thing around it is. */
  #offsetOf(steps: readonly (string | number)[], ofName: boolean): number {
    let node: Node | null = this.#document.contents
    let offset = node?.range?.[0] ?? 0
    for (const [index, step] of steps.entries()) {
      if (isAlias(node)) node = this.#targetOf(node)
      if (isSeq(node) && typeof step === 'number') node = (node.items[step] as Node | undefined) ?? null
      else if (isMap(node)) {
        const pair = node.items.find(
          (item) => isScalar(item.key) && (item.key.source ?? String(item.key.value)) === step,
        )
        if (!pair) return offset
        const isNamed = ofName && index === steps.length - 1
        node = isNamed ? (pair.key as Node) : ((pair.value as Node | null) ?? (pair.key as Node))
      } else return offset
      offset = node?.range?.[0] ?? offset
    }
    return offset
  }
}

const alternatives = (schema: TSchema | undefined): TSchema[] =>
  schema === undefined ? [] : ((schema.anyOf as TSchema[] | undefined)?.flatMap(alternatives) ?? [schema])

/** The schema of what is at a place in a world. */
const schemaAt = (steps: readonly (string | number)[]): TSchema | undefined =>
  steps.reduce<TSchema | undefined>((schema, step) => {
    const parts = alternatives(schema)
    const found = parts.map((part) => (typeof step === 'number' ? part.items : part.properties?.[step]))
    return found.find((part) => part) as TSchema | undefined
  }, WorldSchema)

const shownStep = (step: string | number): string => (typeof step === 'number' ? `[${step}]` : `.${step}`)

/** `$.world.posts[3].author` as steps below the world. */
function stepsOf(where: string): (string | number)[] {
  const steps = [...where.replace(/^\$(?:\.world)?/, '').matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)]
  return steps.map(([, name, index]) => (name === undefined ? Number(index) : name))
}

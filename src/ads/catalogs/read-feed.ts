import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { parse } from 'csv-parse'
import sax from 'sax'
import { adsLegacyNaming } from '../../legacy-words.ts'
import { PRODUCT_FIELDS, type ProductFieldName } from './product.fields.ts'

/** A product of a file: texts by the names of our members. */
export type FeedRecord = Record<string, unknown>

/** The file cannot be read; merchants see the message. */
export class FeedError extends Error {}

/** A limit for records, because a record is held in memory. */
const MOST_RECORD_BYTES = 512 * 1024
/** The parser keeps the open elements, and the attributes of one, in memory. */
const MOST_DEPTH = 64
const MOST_ATTRIBUTES = 256
const MOST_COLUMNS = 1_000

const tooLarge = () => new FeedError(`a product is larger than ${MOST_RECORD_BYTES} bytes`)

/** Reads the products of a file while it is downloaded, with one product in memory at a time. */
export function readFeed(format: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<FeedRecord> {
  return format === 'XML' ? readXml(chunks) : readTable(chunks, format === 'TSV' ? '\t' : ',')
}

/** The member of a product that a column or element stands for, in any prefix, case or spelling; undefined for others. */
function memberOf(name: string): string | undefined {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:/, '')
    .replaceAll(' ', '_')
  const own = adsLegacyNaming.restore(plain)
  return own === 'id' || Object.hasOwn(PRODUCT_FIELDS, own) ? own : undefined
}

/** Converts the texts of a file into values as a PUT has them. */
function toRecord(texts: Record<string, string>): FeedRecord {
  const record: FeedRecord = {}
  for (const [name, text] of Object.entries(texts)) {
    const value = text.trim()
    if (value === '') continue
    const field = PRODUCT_FIELDS[name as ProductFieldName] as { isNumber?: true } | undefined
    if (field?.isNumber && /^\d{1,15}$/.test(value)) record[name] = Number(value)
    // Some files write these words with underscores.
    else
      record[name] = name === 'availability' || name === 'age_group' ? value.toLowerCase().replaceAll('_', ' ') : value
  }
  return record
}

async function* readTable(chunks: AsyncIterable<Buffer>, delimiter: string): AsyncGenerator<FeedRecord> {
  let hasHeader = false
  const parser = parse({
    bom: true,
    delimiter,
    columns: (header: string[]) => {
      hasHeader = true
      if (header.length > MOST_COLUMNS) throw new FeedError(`the first line has more than ${MOST_COLUMNS} columns`)
      const members = header.map(memberOf)
      if (!members.includes('id')) throw new FeedError('the first line does not name a column id')
      return members.map((member) => member ?? false)
    },
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MOST_RECORD_BYTES,
  })
  // The parser counts only the characters of fields: without this, a line of nothing but delimiters would be held whole.
  const bounded = async function* (): AsyncGenerator<Buffer> {
    let ended = 0
    let bytes = 0
    for await (const chunk of chunks) {
      const { records, empty_lines: emptyLines } = parser.info
      const now = records + emptyLines + (hasHeader ? 1 : 0)
      // The parser may be some chunks behind, so a record is refused here only when it is larger than two of the largest.
      bytes = now === ended ? bytes + chunk.length : chunk.length
      ended = now
      if (bytes > 2 * MOST_RECORD_BYTES) throw tooLarge()
      yield chunk
    }
  }
  const feeding = pipeline(Readable.from(bounded()), parser)
  // Its error is thrown by the loop below.
  feeding.catch(() => {})
  try {
    for await (const row of parser as AsyncIterable<Record<string, string>>) yield toRecord(row)
    await feeding
  } catch (error) {
    throw isCsvError(error) ? new FeedError(`the file is not a table: ${error.code}`) : error
  } finally {
    parser.destroy()
  }
  if (!hasHeader) throw new FeedError('the file is empty')
}

const isCsvError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')

// Atom has other names for what RSS calls description.
const ALIASES = new Map(['summary', 'content'].map((name) => [name, 'description']))

async function* readXml(chunks: AsyncIterable<Buffer>): AsyncGenerator<FeedRecord> {
  const reader = createItemReader()
  const decoder = new StringDecoder('utf8')
  for await (const chunk of chunks) {
    reader.write(decoder.write(chunk))
    yield* reader.takeRecords()
  }
  reader.end(decoder.end())
  yield* reader.takeRecords()
}

/** Finds `item` (RSS) or `entry` (Atom) elements and the texts of their children. */
function createItemReader() {
  const parser = sax.parser(true, { trim: false, position: true })
  let ready: FeedRecord[] = []
  let depth = 0
  let itemDepth = 0
  let texts: Record<string, string> = {}
  // Members that had a prefix; they take precedence over those of RSS and Atom.
  let prefixed = new Set<string>()
  let bytes = 0
  let member: string | undefined
  let value = ''
  let hasRoot = false
  let attributeCount = 0
  let error: Error | undefined

  const take = (name: string, text: string, hasPrefix: boolean) => {
    const before = texts[name]
    if (before === undefined || before === '' || (hasPrefix && !prefixed.has(name))) texts[name] = text.trim()
    else if (name === 'additional_image_link') texts[name] = `${before},${text.trim()}`
    if (hasPrefix) prefixed.add(name)
  }
  parser.onerror = (cause) => {
    error ??= new FeedError(`the file is not XML: ${cause.message.split('\n')[0]} in line ${parser.line + 1}`)
  }
  parser.onattribute = () => {
    attributeCount += 1
    if (attributeCount > MOST_ATTRIBUTES)
      error ??= new FeedError(`an element has more than ${MOST_ATTRIBUTES} attributes`)
  }
  parser.onopentag = (node) => {
    const { name, attributes } = node as sax.Tag
    depth += 1
    attributeCount = 0
    hasRoot = true
    if (depth > MOST_DEPTH) error ??= new FeedError(`elements are nested more than ${MOST_DEPTH} deep`)
    const local = name.replace(/^[^:]*:/, '').toLowerCase()
    if (itemDepth === 0) {
      if (local !== 'item' && local !== 'entry') return
      itemDepth = depth
      texts = {}
      prefixed = new Set()
      bytes = 0
      return
    }
    // Elements without text count too: each of them can add to a member.
    bytes += name.length
    if (bytes > MOST_RECORD_BYTES) error ??= tooLarge()
    if (depth !== itemDepth + 1) return
    value = ''
    member = memberOf(ALIASES.get(local) ?? name)
    if (local === 'link' && typeof attributes.href === 'string' && (attributes.rel ?? 'alternate') === 'alternate')
      take('link', attributes.href, false)
  }
  const addText = (text: string) => {
    if (itemDepth === 0) return
    bytes += text.length
    if (bytes > MOST_RECORD_BYTES) error ??= tooLarge()
    // Only the text of the child itself: nested elements such as shipping have a price of their own.
    else if (depth === itemDepth + 1) value += text
  }
  parser.ontext = addText
  parser.oncdata = addText
  parser.onclosetag = (name) => {
    if (itemDepth > 0 && depth === itemDepth + 1 && member !== undefined) take(member, value, name.includes(':'))
    if (depth === itemDepth) {
      ready.push(toRecord(texts))
      itemDepth = 0
    }
    member = undefined
    depth -= 1
  }
  const check = () => {
    if (error) throw error
  }
  return {
    write(text: string) {
      parser.write(text)
      check()
    },
    end(text: string) {
      parser.write(text).close()
      check()
      if (!hasRoot) throw new FeedError('the file is empty')
    },
    takeRecords(): FeedRecord[] {
      const records = ready
      ready = []
      return records
    },
  }
}

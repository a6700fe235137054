import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { PriceTable } from '../../api-kit/limits/price-table.ts'
import { PROGRAM_FOLDER } from '../../process/program-folder.ts'
import { v2Reference } from '../reference-operations.ts'

/** Why a file is not a price table; the message is for people. */
export class PriceTableError extends Error {}

/** Kinds of objects that can have a price: those with ids of digits. */
const KINDS = ['post', 'user', 'list']
const OPERATIONS = v2Reference.map((line) => line.split(' ', 1)[0]!)
const MEMBERS = ['currency', 'objects', 'owned_object', 'operations']
const MOST = 1_000_000
const MICROS = 1_000_000

const DEFAULT_FILE = path.join(PROGRAM_FOLDER, 'social', 'usage', 'default-prices.json')
const MOST_BYTES = 1024 * 1024

/** Reads a price table; without a file the default one. */
export function readPriceTable(file: string): PriceTable {
  let text: string
  try {
    text = readFileSync(file === '' ? DEFAULT_FILE : file, 'utf8')
  } catch (error) {
    throw new PriceTableError(`the file cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  if (text.length > MOST_BYTES) throw new PriceTableError('the file is larger than 1 MB')
  return parsePriceTable(text)
}

function parsePriceTable(text: string): PriceTable {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new PriceTableError('the file is not JSON')
  }
  const table = objectOf('the table', value, MEMBERS)
  const { currency = 'USD', objects = {}, owned_object, operations = {} } = table
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
    throw new PriceTableError('currency must have three letters, such as USD')
  return {
    currency,
    objects: prices('objects', objects, KINDS),
    ownedObject: owned_object === undefined ? undefined : micros('owned_object', owned_object),
    operations: prices('operations', operations, OPERATIONS),
  }
}

function objectOf(name: string, value: unknown, allowed: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new PriceTableError(`${name} must be an object`)
  for (const member of Object.keys(value))
    if (!allowed.includes(member))
      throw new PriceTableError(`${name} cannot have the member ${member}; it can have ${allowed.join(', ')}`)
  return value as Record<string, unknown>
}

function prices(name: string, value: unknown, allowed: readonly string[]): Record<string, number> {
  const given = Object.entries(objectOf(name, value, allowed))
  return Object.fromEntries(given.map(([member, price]) => [member, micros(`${name}.${member}`, price)]))
}

function micros(name: string, price: unknown): number {
  if (typeof price !== 'number' || !(price >= 0 && price <= MOST))
    throw new PriceTableError(`${name} must be a number from 0 to ${MOST}`)
  return Math.round(price * MICROS)
}

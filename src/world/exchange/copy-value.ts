import { isStorableId } from '../../process/ids.ts'
import type { ColumnType } from './columns.ts'

/** A value that its column cannot hold. */
export class ValueError extends Error {}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/
const WHOLE = /^-?\d{1,18}$/
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function wrong(value: unknown, wanted: string): ValueError {
  const shown = JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? String(item) : item)) ?? String(value)
  return new ValueError(`${shown.length > 100 ? `${shown.slice(0, 100)}...` : shown}, but must be ${wanted}`)
}

/** A value of a file in the text form of COPY, before escaping; null stays null. CSV has text where the others have lists and JSON. */
export function copyValueOf(type: ColumnType, value: unknown, baseUrl: string): string | null {
  if (value === null || value === undefined) return null
  switch (type) {
    case 'id':
      return idOf(value)
    case 'text':
      return textOf(value)
    case 'address':
      return withBase(textOf(value), baseUrl)
    case 'int':
      if (!WHOLE.test(String(value))) throw wrong(value, 'a whole number')
      return String(value)
    case 'bool':
      if (!/^(true|false)$/.test(String(value))) throw wrong(value, 'true or false')
      return String(value)
    case 'time':
      return momentOf(value)
    case 'bytes':
      return bytesOf(value)
    case 'json':
      return jsonOf(value)
    case 'addresses':
      return jsonOf(value).replaceAll('"/', `"${baseUrl}/`)
    case 'ids':
      return `{${listOf(value, 'ids').map(idOf).join()}}`
    case 'texts':
      return `{${listOf(value, 'texts').map(elementOf).join()}}`
    case 'numbers':
      return `{${listOf(value, 'numbers').map(numberOf).join()}}`
  }
}

function idOf(value: unknown): string {
  if (typeof value !== 'string' || !isStorableId(value)) throw wrong(value, 'an id as text')
  return value
}

function textOf(value: unknown): string {
  if (typeof value !== 'string' || value.includes('\0')) throw wrong(value, 'text without the sign U+0000')
  return value
}

const withBase = (url: string, baseUrl: string): string => (url.startsWith('/') ? baseUrl + url : url)

function momentOf(value: unknown): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
  if (typeof value !== 'string' || !MOMENT.test(value) || Number.isNaN(Date.parse(value)))
    throw wrong(value, 'a moment such as 2026-01-01T12:00:00.000Z')
  return value
}

function bytesOf(value: unknown): string {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  if (typeof value !== 'string' || !BASE64.test(value)) throw wrong(value, 'bytes in base64')
  return `\\x${Buffer.from(value, 'base64').toString('hex')}`
}

function jsonOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  try {
    JSON.parse(value)
    return value
  } catch {
    throw wrong(value, 'JSON')
  }
}

function listOf(value: unknown, what: string): unknown[] {
  let list = value
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value)
    } catch {}
  }
  if (!Array.isArray(list)) throw wrong(value, `a list of ${what}`)
  return list
}

const elementOf = (value: unknown): string => `"${textOf(value).replace(/["\\]/g, '\\$&')}"`

function numberOf(value: unknown): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(value, 'a list of numbers')
  return String(value)
}

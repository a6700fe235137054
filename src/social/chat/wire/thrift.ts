// The binary protocol of Thrift, as far as chat events use it: structs without a message header.

/** The types of values on the wire. */
export const TYPE = { bool: 2, i32: 8, i64: 10, text: 11, struct: 12, list: 15 } as const

export type ThriftValue = boolean | number | bigint | Buffer | ThriftStruct | ThriftValue[]

/** A struct: its fields by id. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>

/** Bytes that are not one complete struct. */
export class MalformedThrift extends Error {}

const MAX_DEPTH = 8
const MAX_ELEMENTS = 10_000

/** Reads bytes that are exactly one struct. */
export function readStruct(bytes: Buffer): ThriftStruct {
  const reader = new Reader(bytes)
  const struct = reader.struct(1)
  if (reader.at !== bytes.length) throw new MalformedThrift('has bytes after its end')
  return struct
}

class Reader {
  at = 0
  private elements = 0
  private readonly bytes: Buffer
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  struct(depth: number): ThriftStruct {
    if (depth > MAX_DEPTH) throw new MalformedThrift(`is nested more than ${MAX_DEPTH} levels deep`)
    const fields = new Map<number, ThriftValue>()
    for (;;) {
      const type = this.bytes[this.take(1)]!
      if (type === 0) return fields
      const id = this.bytes.readInt16BE(this.take(2))
      // Readers disagree about which of two values counts, so there can be one.
      if (fields.has(id)) throw new MalformedThrift(`has the field ${id} twice`)
      fields.set(id, this.value(type, depth))
    }
  }

  private value(type: number, depth: number): ThriftValue {
    switch (type) {
      case TYPE.bool:
        return this.bytes[this.take(1)] !== 0
      case TYPE.i32:
        return this.bytes.readInt32BE(this.take(4))
      case TYPE.i64:
        return this.bytes.readBigInt64BE(this.take(8))
      case TYPE.text: {
        const length = this.bytes.readInt32BE(this.take(4))
        const start = this.take(length)
        return this.bytes.subarray(start, start + length)
      }
      case TYPE.struct:
        return this.struct(depth + 1)
      case TYPE.list:
        return this.list(depth + 1)
      default:
        throw new MalformedThrift(`has a value of the unknown type ${type}`)
    }
  }

  private list(depth: number): ThriftValue[] {
    if (depth > MAX_DEPTH) throw new MalformedThrift(`is nested more than ${MAX_DEPTH} levels deep`)
    const type = this.bytes[this.take(1)]!
    const count = this.bytes.readInt32BE(this.take(4))
    this.elements += count
    if (count < 0 || this.elements > MAX_ELEMENTS)
      throw new MalformedThrift(`has more than ${MAX_ELEMENTS} list elements`)
    return Array.from({ length: count }, () => this.value(type, depth))
  }

  /** Moves on by a number of bytes and returns where they begin. */
  private take(length: number): number {
    const start = this.at
    if (length < 0 || start + length > this.bytes.length) throw new MalformedThrift('ends too early')
    this.at += length
    return start
  }
}

const STRUCT_END = Buffer.from([0])

function field(type: number, id: number, ...value: Buffer[]): Buffer {
  const head = Buffer.alloc(3)
  head[0] = type
  head.writeInt16BE(id, 1)
  return Buffer.concat([head, ...value])
}

/** A text or bytes as the field of a struct; nothing for undefined. */
export function textField(id: number, value: string | Buffer | undefined): Buffer {
  return value === undefined ? Buffer.alloc(0) : field(TYPE.text, id, sized(value))
}

function sized(value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value
  const length = Buffer.alloc(4)
  length.writeInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** A struct, given as its bytes, as the field of another. */
export const structField = (id: number, struct: Buffer): Buffer => field(TYPE.struct, id, struct)

/** A list as the field of a struct: texts, or structs given as their bytes. */
export function listField(id: number, elements: readonly string[] | readonly Buffer[]): Buffer {
  const head = Buffer.alloc(5)
  const isText = typeof elements[0] === 'string'
  head[0] = isText ? TYPE.text : TYPE.struct
  head.writeInt32BE(elements.length, 1)
  return field(
    TYPE.list,
    id,
    head,
    ...elements.map((element) => (typeof element === 'string' ? sized(element) : element)),
  )
}

/** The bytes of a struct with these fields. */
export const writeStruct = (...fields: Buffer[]): Buffer => Buffer.concat([...fields, STRUCT_END])

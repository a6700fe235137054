import { MalformedThrift, readStruct, type ThriftStruct, type ThriftValue } from './thrift.ts'

/** An encrypted message. */
export interface MessageCreate {
  contents: Buffer
  keyVersion: string
  ttlMs: number | undefined
}

/** The conversation key, encrypted to one member. */
export interface WrappedKey {
  userId: string
  wrap: string
  publicKeyVersion: string
}

/** A new conversation key. */
export interface KeyChange {
  kind: 'key_change'
  version: string
  keys: WrappedKey[]
}

/** What a client states about a group; absent texts were not signed. */
interface GroupFacts {
  members: string[]
  admins: string[]
  title: string | undefined
  avatar: string | undefined
  keyVersion: string
  ttlMs: string | undefined
}

/** A new group. */
export interface GroupCreate extends GroupFacts {
  kind: 'group_create'
  isLegacyUpgrade: boolean | undefined
}

/** New members of a group, whose other facts are as the client knows them. */
export interface MemberAdd extends GroupFacts {
  kind: 'member_add'
  added: string[]
  blocksScreenCapture: boolean | undefined
}

/** Messages to delete. */
export interface MessageDelete {
  kind: 'message_delete'
  sequences: string[]
  forAll: boolean
}

export type ActionDetail = KeyChange | GroupCreate | MemberAdd | MessageDelete

/** What an event is signed with. */
export interface SignatureFacts {
  /** 64 bytes in base64 without padding. */
  signature: string
  publicKeyVersion: string
  signatureVersion: string | undefined
}

/** The longest name, address of a picture or description of a group. Names and addresses may be encrypted. */
export const LONGEST_GROUP_TEXT = 4_096

// A nonce and an authentication tag precede the encrypted text.
const LEAST_CONTENTS = 24 + 16
const LONGEST_TTL_MS = 10 * 365 * 24 * 3600_000

/** Reads the struct of an encrypted message. */
export function readMessageCreate(bytes: Buffer): MessageCreate {
  const struct = readStruct(bytes)
  const contents = required(struct, 100, bytesOf)
  if (contents.length < LEAST_CONTENTS) throw new MalformedThrift('has contents that are too short to be encrypted')
  const ttl = optional(struct, 103, longOf)
  if (ttl !== undefined && (ttl < 1n || ttl > BigInt(LONGEST_TTL_MS)))
    throw new MalformedThrift(`has a ttl that is not between 1 and ${LONGEST_TTL_MS} milliseconds`)
  return {
    contents,
    keyVersion: required(struct, 101, versionOf),
    ttlMs: ttl === undefined ? undefined : Number(ttl),
  }
}

/** Reads the union of an action: a key change, a group change or a deletion. */
export function readActionDetail(bytes: Buffer): ActionDetail {
  const [kind, value] = onlyField(readStruct(bytes))
  const struct = structOf(value)
  switch (kind) {
    case 3:
      return { kind: 'key_change', version: required(struct, 1, versionOf), keys: required(struct, 2, listOf(wrapOf)) }
    case 4:
      return readGroupChange(struct)
    case 7: {
      const action = required(struct, 2, numberOf)
      if (action !== 1 && action !== 2) throw new MalformedThrift(`has the unknown action ${action}`)
      return { kind: 'message_delete', sequences: required(struct, 1, listOf(idOf)), forAll: action === 2 }
    }
    default:
      throw new MalformedThrift(`is an event of the kind ${kind}, which cannot be sent`)
  }
}

function readGroupChange(change: ThriftStruct): GroupCreate | MemberAdd {
  const [kind, value] = onlyField(required(change, 1, structOf))
  const struct = structOf(value)
  if (kind === 1)
    return {
      kind: 'group_create',
      members: required(struct, 1, listOf(idOf)),
      admins: optional(struct, 2, listOf(idOf)) ?? [],
      title: optional(struct, 3, signedText),
      avatar: optional(struct, 4, signedText),
      keyVersion: required(struct, 5, versionOf),
      isLegacyUpgrade: optional(struct, 6, flagOf),
      ttlMs: optional(struct, 7, longOf)?.toString(),
    }
  if (kind === 5)
    return {
      kind: 'member_add',
      added: required(struct, 1, listOf(idOf)),
      members: required(struct, 2, listOf(idOf)),
      admins: optional(struct, 3, listOf(idOf)) ?? [],
      title: optional(struct, 4, signedText),
      avatar: optional(struct, 5, signedText),
      keyVersion: required(struct, 6, versionOf),
      ttlMs: optional(struct, 7, longOf)?.toString(),
      blocksScreenCapture: optional(struct, 9, flagOf),
    }
  throw new MalformedThrift(`is a group change of the kind ${kind}, which cannot be sent`)
}

/** Reads the struct of a signature. */
export function readSignature(bytes: Buffer): SignatureFacts {
  const struct = readStruct(bytes)
  return {
    signature: required(struct, 1, textOf),
    publicKeyVersion: required(struct, 2, versionOf),
    signatureVersion: optional(struct, 3, versionOf),
  }
}

/** Whether a text is a version: a number that can be stored, without leading zeros, because clients compare versions as texts. */
export const isVersion = (text: string): boolean => /^[1-9][0-9]{0,18}$/.test(text) && BigInt(text) < 1n << 63n

function onlyField(union: ThriftStruct): [id: number, value: ThriftValue] {
  const [first, ...others] = union
  if (!first || others.length > 0) throw new MalformedThrift('does not have exactly one kind')
  return first
}

type Read<T> = (value: ThriftValue) => T

function optional<T>(struct: ThriftStruct, id: number, read: Read<T>): T | undefined {
  const value = struct.get(id)
  return value === undefined ? undefined : read(value)
}

function required<T>(struct: ThriftStruct, id: number, read: Read<T>): T {
  const value = struct.get(id)
  if (value === undefined) throw new MalformedThrift(`has no field ${id}`)
  return read(value)
}

const wrongType = () => new MalformedThrift('has a field of another type')

function structOf(value: ThriftValue): ThriftStruct {
  if (value instanceof Map) return value
  throw wrongType()
}

function bytesOf(value: ThriftValue): Buffer {
  if (Buffer.isBuffer(value)) return value
  throw wrongType()
}

function textOf(value: ThriftValue): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(value))
  } catch {
    throw new MalformedThrift('has a text that is not UTF-8')
  }
}

// The parts of what is signed are joined with commas. The text is stored when the body has none.
function signedText(value: ThriftValue): string {
  const text = textOf(value)
  if (text.includes(',')) throw new MalformedThrift('has a title or an avatar with a comma, which cannot be signed')
  if (text.includes('\0')) throw new MalformedThrift('has a title or an avatar with the character U+0000')
  if (text.length > LONGEST_GROUP_TEXT)
    throw new MalformedThrift(`has a title or an avatar of more than ${LONGEST_GROUP_TEXT} characters`)
  return text
}

function versionOf(value: ThriftValue): string {
  const text = textOf(value)
  if (isVersion(text)) return text
  throw new MalformedThrift('has a version that is not a decimal number')
}

const idOf: Read<string> = versionOf

function numberOf(value: ThriftValue): number {
  if (typeof value === 'number') return value
  throw wrongType()
}

function longOf(value: ThriftValue): bigint {
  if (typeof value === 'bigint') return value
  throw wrongType()
}

function flagOf(value: ThriftValue): boolean {
  if (typeof value === 'boolean') return value
  throw wrongType()
}

const listOf =
  <T>(read: Read<T>): Read<T[]> =>
  (value) => {
    if (Array.isArray(value)) return value.map(read)
    throw wrongType()
  }

function wrapOf(value: ThriftValue): WrappedKey {
  const struct = structOf(value)
  return {
    userId: required(struct, 1, idOf),
    wrap: required(struct, 2, textOf),
    publicKeyVersion: required(struct, 3, versionOf),
  }
}

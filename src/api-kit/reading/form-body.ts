import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { TSchema } from '../declaring/schema.ts'
import { invalidRequest } from '../writing/problems.ts'

const MOST_PARTS = 100

/**
 * Reads a form as the object that the same body would be in JSON; undefined when the body is not a form. Numbers, booleans and
 * lists are converted as the schema says; bytes become base64, as in JSON.
 */
export async function readFormBody(
  body: Buffer | undefined,
  contentType: string | undefined,
  schema: TSchema,
): Promise<unknown> {
  const parts = await readFormParts(body, contentType)
  if (!parts) return undefined
  const members = (schema.properties ?? {}) as Record<string, TSchema>
  const values = new Map<string, unknown>()
  for (const [spelled, bytes] of parts) {
    const name = spelled.replace(/\[\]$/, '')
    const member = Object.hasOwn(members, name) ? members[name]! : {}
    const value = memberValue(bytes, member as TSchema)
    const known = values.get(name)
    if (known === undefined) values.set(name, value)
    // A list may have one part for each item; no schema accepts anything else twice.
    else values.set(name, [known, value].flat())
  }
  return Object.fromEntries(values)
}

export type FormPart = [name: string, bytes: Buffer]

/** The parts of a form in their order; undefined when the body is not a form. */
export async function readFormParts(
  body: Buffer | undefined,
  contentType: string | undefined,
): Promise<FormPart[] | undefined> {
  if (body === undefined || contentType === undefined) return undefined
  if (/^multipart\/form-data\s*;/i.test(contentType)) return readParts(body, contentType)
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType) ? readPairs(body) : undefined
}

function readPairs(body: Buffer): FormPart[] {
  const text = body.toString('utf8')
  if (text.split('&', MOST_PARTS + 1).length > MOST_PARTS) throw tooManyParts()
  return [...new URLSearchParams(text)].map(([name, value]) => [name, Buffer.from(value)])
}

function readParts(body: Buffer, contentType: string): Promise<FormPart[]> {
  return new Promise((resolve, reject) => {
    const refuse = (message: string) => reject(malformed(message))
    const parts: FormPart[] = []
    try {
      const reader = new Busboy({
        headers: { 'content-type': contentType } as BusboyHeaders,
        limits: { parts: MOST_PARTS },
        // Every part as bytes: the schema decides what they mean, not the client's headers.
        isPartAFile: () => true,
      })
      reader.on('file', (name, stream) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => parts.push([name, Buffer.concat(chunks)]))
        stream.on('error', () => refuse('The form ends in the middle of a part.'))
      })
      reader.on('partsLimit', () => reject(tooManyParts()))
      reader.on('error', () => refuse('The body is not the form that its content-type says.'))
      reader.on('finish', () => resolve(parts))
      reader.end(body)
    } catch {
      refuse('The content-type of a multipart body needs a boundary.')
    }
  })
}

const malformed = (message: string) => invalidRequest([{ parameters: {}, message }])

const tooManyParts = () => malformed(`The form has more than ${MOST_PARTS} parts.`)

const isBytes = (schema: TSchema): boolean =>
  schema.format === 'binary' || schema.format === 'byte' || ((schema.anyOf ?? []) as TSchema[]).some(isBytes)

function memberValue(bytes: Buffer, schema: TSchema): unknown {
  if (isBytes(schema)) return bytes.toString('base64')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw malformed('A text in the form is not UTF-8.')
  }
  if (text.includes('\0')) throw malformed('A text in the body cannot contain the character U+0000.')
  if (schema.type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (schema.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (schema.type === 'array') return text === '' ? [] : text.split(',')
  return text
}

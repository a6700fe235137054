import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { readFormParts } from '../api-kit/reading/form-body.ts'
import { readQuery } from '../api-kit/reading/request-query.ts'
import { invalidParameterCode, missingParameter } from './v1-problems.ts'

/** The parameters of a call, wherever they were sent: path, query, form or multipart form. The last of a name counts. */
export class V1Params {
  readonly #values: ReadonlyMap<string, string | Buffer>

  constructor(values: ReadonlyMap<string, string | Buffer>) {
    this.#values = values
  }

  bytes(name: string): Buffer | undefined {
    const value = this.#values.get(name)
    return typeof value === 'string' ? Buffer.from(value) : value
  }

  /** The text of a parameter; an empty one counts as not given. */
  text(name: string): string | undefined {
    const value = this.#values.get(name)
    const text = typeof value === 'string' ? value : value?.toString('utf8')
    if (text?.includes('\0')) throw invalidParameterCode(name)
    return text === '' ? undefined : text
  }

  required(name: string): string {
    const text = this.text(name)
    if (text === undefined) throw missingParameter(name)
    return text
  }

  /** True for `true`, `t` and `1`. Version 1.1 takes every other text for false. */
  flag(name: string, initial = false): boolean {
    const text = this.text(name)
    return text === undefined ? initial : /^(?:true|t|1)$/i.test(text)
  }

  /** A whole number within bounds. */
  number(name: string, { min, max }: { min: number; max: number }): number {
    const text = this.required(name)
    const value = Number(text)
    if (!/^\d{1,15}$/.test(text) || value < min || value > max)
      throw invalidParameterCode(name, ` It must be a whole number between ${min} and ${max}.`)
    return value
  }
}

/** Gathers the parameters of a request. Names that a call does not know are ignored, as version 1.1 does. */
export async function readV1Params({ rawQuery, body, headers }: RequestFacts, path: object): Promise<V1Params> {
  const values = new Map<string, string | Buffer>()
  for (const [name, given] of readQuery(rawQuery)) values.set(name, given.at(-1)!)
  const parts = await readFormParts(body, headers['content-type'] as string | undefined)
  for (const [name, bytes] of parts ?? []) values.set(name, bytes)
  for (const [name, value] of Object.entries(path as Record<string, string>)) values.set(name, value)
  return new V1Params(values)
}

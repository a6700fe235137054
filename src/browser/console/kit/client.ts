import { signal } from '@preact/signals'
import { mount } from './router.ts'

/** A refusal of the server. The message is for people. */
export class CallError extends Error {
  readonly status: number
  readonly body: unknown
  constructor(status: number, body: unknown) {
    super(wordsOf(body) ?? `The server answered ${status}.`)
    this.status = status
    this.body = body
  }
}

function wordsOf(body: unknown): string | undefined {
  const { errors, detail, title } = (body ?? {}) as {
    errors?: { message?: string; detail?: string }[]
    detail?: string
    title?: string
  }
  return errors?.[0]?.message ?? errors?.[0]?.detail ?? detail ?? title
}

/** Whether this browser is signed in. Undefined until it is known. */
export const signedIn = signal<boolean | undefined>(undefined)

const HEADERS = { 'x-rostra-console': '1' }

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(mount + path, {
    method,
    headers: { ...HEADERS, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch(() => {
    throw new CallError(0, { detail: 'The server cannot be reached. Is it running?' })
  })
  const text = await answer.text()
  const read = text === '' ? undefined : JSON.parse(text)
  if (answer.status === 401) signedIn.value = false
  if (!answer.ok) throw new CallError(answer.status, read)
  return read as T
}

/** Reads an endpoint of the control interface: `get('/_rostra/requests', { limit: '10' })`. */
export function get<T>(path: string, query: Record<string, string | undefined> = {}): Promise<T> {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return call('GET', given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`)
}

/** What a command takes and returns, as the server declares it. */
type TypesOf<C> = C extends { types?: { args: infer A; result: infer R } } ? [A, R] : [Record<string, unknown>, unknown]

/** A value as JSON has it: moments are texts. */
type Json<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Json<Item>[]
    : T extends object
      ? { [Name in keyof T]: Json<T[Name]> }
      : T

/** What a command returns, as it arrives: `ResultOf<typeof clockCommand>`. */
export type ResultOf<C> = Json<TypesOf<C>[1]>

/**
 * Runs a control command. Its types are those of the declaration:
 * `command<typeof clockCommand>('clock', { freeze: true })`, with `import type { clockCommand }` of the server's file.
 * For one that is declared in a list without a type of its own: `command<{ types?: { args: ...; result: ... } }>(...)`.
 */
export function command<C>(name: string, args: TypesOf<C>[0] = {} as TypesOf<C>[0]): Promise<ResultOf<C>> {
  return call('POST', `/_rostra/commands/${name}`, args)
}

/** Posts to another endpoint of the control interface. */
export const post = <T>(path: string, body: unknown = {}): Promise<T> => call('POST', path, body)

/** An answer of the interface itself. */
export interface InterfaceAnswer {
  status: number
  headers: Headers
  text: string
  ms: number
}

/** Calls the interface as a program does, with a token of `user.token` or another credential. Refusals are answers too. */
export async function callInterface(
  method: string,
  path: string,
  options: { authorization?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<InterfaceAnswer> {
  const started = performance.now()
  const answer = await fetch(mount + path, {
    method,
    credentials: 'omit',
    headers: {
      ...(options.authorization === undefined ? {} : { authorization: options.authorization }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    body: options.body,
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, ms: performance.now() - started }
}

import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { userListCommand } from '../../../control/user-commands.ts'
import { CallError, callInterface, command, get } from '../kit/client.ts'
import { listen } from '../kit/live.ts'
import { attempt } from '../kit/toast.tsx'

/** A value after its way through JSON. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Name in keyof T]: Wire<T[Name]> }
      : T

interface Typed {
  types?: { args: unknown; result: unknown }
}
type Result<C extends Typed> = Wire<NonNullable<C['types']>['result']>

/** Runs a control command. Its result is that of the declaration, as JSON has it. */
export const run = <C extends Typed>(name: string, args: Record<string, unknown> = {}): Promise<Result<C>> =>
  command<{ types?: { args: Record<string, unknown>; result: Result<C> } }>(
    name,
    Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== '')),
  )

/** A list that is read page by page. */
export interface Pages<Row> {
  rows: readonly Row[] | undefined
  error: string | undefined
  reload: () => Promise<void>
  /** Reads the next page; undefined after the last. */
  more: (() => Promise<void>) | undefined
}

/**
 * Reads a list, again when `keys` change, and again when events whose types begin so arrive, as long as only the first page
 * is shown.
 */
export function usePages<Row>(
  read: (after: string | undefined) => Promise<{ rows: readonly Row[]; next?: string | undefined }>,
  keys: readonly unknown[],
  follows: readonly string[] = [],
): Pages<Row> {
  const [state, setState] = useState<{ rows?: readonly Row[]; next?: string | undefined; pages: number }>({ pages: 0 })
  const [error, setError] = useState<string>()
  const [turn, setTurn] = useState(0)
  const asked = useRef(0)
  const load = async (after?: string) => {
    asked.current += 1
    const mine = asked.current
    try {
      const page = await read(after)
      // A slower answer to an earlier question must not replace this one.
      if (mine !== asked.current) return
      setError(undefined)
      setState((before) => ({
        rows: after === undefined ? page.rows : [...(before.rows ?? []), ...page.rows],
        next: page.next,
        pages: after === undefined ? 1 : before.pages + 1,
      }))
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown
      if (mine === asked.current) setError(thrown.message)
    }
  }
  useEffect(() => {
    void load()
  }, [...keys, turn])
  useEffect(() => {
    if (follows.length === 0 || state.pages > 1) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = listen('events', (events) => {
      if (!timer && events.some((event) => follows.some((type) => event.type.startsWith(type))))
        timer = setTimeout(() => setTurn((before) => before + 1), 300)
    })
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [state.pages > 1, turn])
  const { rows, next } = state
  return { rows, error, reload: () => load(), more: next === undefined ? undefined : () => load(next) }
}

/** The row with an id: of a list that is shown, or read by itself when it is not on the page. */
export function useRow<Row extends { id: string }>(
  pages: Pages<Row>,
  id: string | undefined,
  find: (id: string) => Promise<readonly Row[]>,
): Row | undefined {
  const [found, setFound] = useState<Row>()
  const shown = pages.rows?.find((row) => row.id === id)
  const isMissing = id !== undefined && pages.rows !== undefined && !shown
  useEffect(() => {
    if (isMissing) void attempt(undefined, async () => setFound((await find(id)).find((row) => row.id === id)))
  }, [isMissing, id, pages.rows])
  return shown ?? (found?.id === id ? found : undefined)
}

/** The user whom the actions on this page are done as. */
export const acting = signal(sessionStorage.getItem('rostra_acting') ?? '')
acting.subscribe((username) => sessionStorage.setItem('rostra_acting', username))

/** Without a choice the first user of credentials.json acts: seeded users may be older. */
export async function chooseActing(): Promise<void> {
  if (acting.value !== '') return
  const { users } = await get<{ users: { username: string }[] }>('/_rostra/credentials')
  const [first] = users.length > 0 ? users : (await run<typeof userListCommand>('user.list', { limit: 1 })).users
  if (acting.value === '') acting.value = first?.username ?? ''
}

interface Token {
  id: string
  bearer: string
}
const tokens = new Map<string, Promise<Token>>()

async function newToken(user: string): Promise<Token> {
  const made = await command<{ types?: { args: object; result: { user_id: string; access_token: string } } }>(
    'user.token',
    { user, oauth2: true },
  )
  return { id: made.user_id, bearer: made.access_token }
}

function tokenOf(user: string): Promise<Token> {
  const known = tokens.get(user)
  if (known) return known
  const made = newToken(user)
  tokens.set(user, made)
  made.catch(() => tokens.delete(user))
  return made
}

/** Calls the interface as a user, as a program does. `{me}` in the path is the id of the user. */
export async function callAs<T = unknown>(user: string, method: string, path: string, body?: object): Promise<T> {
  if (user === '') throw new CallError(0, { detail: 'Choose a user to act as.' })
  const send = async () => {
    const { id, bearer } = await tokenOf(user)
    return callInterface(method, path.replace('{me}', id), {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }
  let answer = await send()
  // The token ended: with a reset, with a restore, or after two hours.
  if (answer.status === 401) {
    tokens.delete(user)
    answer = await send()
  }
  const read = answer.text === '' ? {} : JSON.parse(answer.text)
  if (answer.status >= 400 || (read.errors && !read.data)) throw new CallError(answer.status, read)
  return read
}

/** Does something, says how it went, and reads again what is shown. */
export const act = async (done: string, work: () => Promise<unknown>, then?: () => unknown): Promise<void> => {
  if ((await attempt(done, async () => (await work()) ?? true)) !== undefined) await then?.()
}

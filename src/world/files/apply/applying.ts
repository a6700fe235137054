import { createHash } from 'node:crypto'
import { neutral } from '../../../api-kit/naming/naming.ts'
import type { Invalidate, Runtime } from '../../../api-kit/runtime.ts'
import { AsGiven, Problem, renderBody } from '../../../api-kit/writing/problem.ts'
import { type Fault, invalidRequest } from '../../../api-kit/writing/problems.ts'
import { idAt } from '../../../process/ids.ts'
import { sqlState, type Tx } from '../../../storage/database.ts'
import { readMoment } from '../moments.ts'
import type { World } from '../world.schema.ts'
import type { WorldItems } from '../world-items.ts'
import type { WorldReport } from '../world-report.ts'

/** A user that a world file refers to. */
export interface KnownUser {
  id: string
  username: string
  subscription_type: string
}

/** An app that a world file refers to. */
export interface KnownApp {
  id: string
  name: string
  tier: string
  projectId: string
}

const MOST_FAULTS = 20
const UNIQUE_VIOLATION = '23505'

/** One run of applying a world file: its transaction, what is known by name, and what was found wrong. */
export class Applying {
  readonly users = new Map<string, KnownUser>()
  readonly apps = new Map<string, KnownApp>()
  /** Ids of posts by key and by id. */
  readonly posts = new Map<string, string>()
  /** Ids of the posts of the file, in its order. */
  postIds: string[] = []
  readonly communities = new Map<string, string>()
  readonly #faults: Fault[] = []

  readonly tx: Tx
  readonly runtime: Runtime
  readonly invalidate: Invalidate
  readonly world: World
  readonly items: WorldItems
  readonly report: WorldReport
  /** What relative times count from. */
  readonly now: number
  readonly isDryRun: boolean

  constructor(
    given: Pick<Applying, 'tx' | 'runtime' | 'invalidate' | 'world' | 'items' | 'report' | 'now' | 'isDryRun'>,
  ) {
    this.tx = given.tx
    this.runtime = given.runtime
    this.invalidate = given.invalidate
    this.world = given.world
    this.items = given.items
    this.report = given.report
    this.now = given.now
    this.isDryRun = given.isDryRun
  }

  /** Notes what is wrong. `where` is a path in the file, such as `posts[3].author`. */
  fault(where: string, value: string | undefined, message: string): void {
    const path = `$.world.${where}`
    this.#faults.push({
      parameters: new AsGiven({ [path]: value === undefined ? [] : [value] }),
      message: `${path}: ${message}`,
    })
    if (this.#faults.length >= MOST_FAULTS) this.stopOnFaults()
  }

  /** Throws if anything was wrong so far. */
  stopOnFaults(): void {
    if (this.#faults.length > 0) throw invalidRequest(this.#faults)
  }

  /** Runs a rule of the interface; its refusal becomes a fault at a path. */
  async checking<T>(where: string, value: string | undefined, rule: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await rule()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      this.fault(where, value, sentenceOf(error))
      return undefined
    }
  }

  /** Stores a section of the file. What the database refuses of it is a fault of the file: two things with one id, or a value out of range. */
  async storing<T>(section: keyof World, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const state = sqlState(error) ?? ''
      if (!/^2[23]/.test(state)) throw error
      const id = /^Key \(id\)=\((\d+)\)/.exec((error as { detail?: string }).detail ?? '')?.[1]
      this.fault(
        section,
        id,
        state === UNIQUE_VIOLATION
          ? `two things have ${id === undefined ? 'the same id, name or secret' : `the id ${id}`}, in this file or on the server`
          : 'a value cannot be stored',
      )
      this.stopOnFaults()
      throw error
    }
  }

  user(name: string, where: string): KnownUser | undefined {
    const found = this.users.get(name.replace(/^@/, '').toLowerCase())
    if (!found) this.fault(where, name, `there is no user ${name} in this file or on the server`)
    return found
  }

  app(name: string, where: string): KnownApp | undefined {
    const found = this.apps.get(name)
    if (!found) this.fault(where, name, `there is no app ${name} in this file or on the server`)
    return found
  }

  /** A moment in milliseconds; the fallback where none is given. */
  moment(text: string | undefined, where: string, fallback: number): number {
    if (text === undefined) return fallback
    const ms = readMoment(text, this.now)
    if (ms !== undefined && ms >= EARLIEST_MS && ms < LATEST_MS) return ms
    this.fault(where, text, 'is not a time that a server can have')
    return fallback
  }
}

// Ids begin in 2010, and have room for times until 2079.
const EARLIEST_MS = 1288834974657
const LATEST_MS = Date.UTC(2079, 0, 1)

function sentenceOf(problem: Problem): string {
  const body = renderBody(problem.body, neutral, 'problem') as { detail?: string; errors?: { message?: string }[] }
  return body.errors?.map((item) => item.message ?? '').join(' ') || (body.detail ?? 'was refused')
}

const BELOW_TIME = 2 ** 22

/**
 * Ids of things that a file names only by key. The same key at the same moment gives the same id on every server; of two that
 * would be equal one takes the next number.
 */
export class KeyedIds {
  readonly #taken: Set<string>

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken)
  }

  take(id: string): void {
    this.#taken.add(id)
  }

  of(ms: number, kind: string, key: string): string {
    const first = createHash('sha256').update(`${kind} ${key}`).digest().readUInt32BE(0) % BELOW_TIME
    for (let add = 0; ; add++) {
      const id = (BigInt(idAt(ms)) + BigInt((first + add) % BELOW_TIME)).toString()
      if (this.#taken.has(id)) continue
      this.#taken.add(id)
      return id
    }
  }
}

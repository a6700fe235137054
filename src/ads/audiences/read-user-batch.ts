import { setImmediate } from 'node:timers/promises'
import { cutText } from '../../process/cut-text.ts'
import { type AdsError, exclusiveParameters, invalidParameter, missingParameter } from '../kit/errors.ts'
import type { Ignores } from '../kit/operation.ts'
import { parseTime } from '../kit/times.ts'
import { type Identifier, PLAIN_IDENTIFIER } from './identifiers.data.ts'
import { KeyTable } from './key-table.ts'

/** Which identifiers and times an operation accepts. */
export interface BatchRules {
  identifiers: readonly Identifier[]
  /** Hashes may also be spelled in upper case. */
  eitherCase: boolean
  /** Users may be added from a later time on, without a limit on the end. Otherwise they are added from now on, for at most 13 months. */
  choosesStart: boolean
  /** `emails` may be sent instead of `users`. */
  takesEmails: boolean
}

/** The rules of a request: those of its operation, and whether it ignores names that are not known. */
type RequestRules = BatchRules & { ignores: Ignores }

/** One operation: its kind, the number of users it names, and the time during which they are members. */
export interface UserOperation {
  isDelete: boolean
  people: number
  effectiveAt: Date
  expiresAt: Date
}

/** A batch that was read: its operations, its distinct keys, and the keys of each user. */
export interface UserBatch {
  operations: UserOperation[]
  keys: KeyTable
  /** The keys of all users in one list; user n has those from `personEnds[n - 1]` to `personEnds[n]`. */
  personKeys: number[]
  personEnds: number[]
}

export const MOST_OPERATIONS = 2_500
export const MOST_BYTES = 5_000_000

const MONTHS = 13
const ERRORS_OF_OPERATION = 10
const ERRORS_IN_FULL = 500
const KEYS_BETWEEN_PAUSES = 20_000
const LOWER_HEX = /^[0-9a-f]{64}$/
const HEX = /^[0-9a-fA-F]{64}$/

/** Reads and checks a batch in one pass. On errors, `errors` has those of each operation at its index. */
export async function readUserBatch(
  sent: readonly unknown[],
  rules: RequestRules,
  now: Date,
): Promise<UserBatch | { errors: AdsError[][] }> {
  const batch: UserBatch = { operations: [], keys: new KeyTable(), personKeys: [], personEnds: [] }
  const errors: AdsError[][] = []
  let pausedAt = 0
  let reported = 0
  for (const item of sent) {
    const found = readOperation(item, rules, now, batch)
    // Errors are cut, so the reply never becomes as large as the batch.
    errors.push(found.slice(0, reported < ERRORS_IN_FULL ? ERRORS_OF_OPERATION : 1))
    reported += errors.at(-1)!.length
    // Lets other requests run while a large batch is read.
    if (batch.personKeys.length - pausedAt < KEYS_BETWEEN_PAUSES) continue
    pausedAt = batch.personKeys.length
    await setImmediate()
  }
  return errors.some((item) => item.length > 0) ? { errors } : batch
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readOperation(item: unknown, rules: RequestRules, now: Date, batch: UserBatch): AdsError[] {
  if (!isObject(item)) return [invalidParameter('operation', 'must be an object with operation_type and params')]
  const errors: AdsError[] = []
  const { operation_type: type, params, ...others } = item
  for (const name of Object.keys(others).filter((each) => !rules.ignores(each)))
    errors.push(
      invalidParameter(cutText(name, 100), 'is not a member of an operation; allowed are operation_type, params'),
    )
  if (type === undefined) errors.push(missingParameter('operation_type'))
  else if (type !== 'Update' && type !== 'Delete')
    errors.push(invalidParameter('operation_type', 'must be one of Update, Delete', shortened(type)))
  if (params === undefined) return [...errors, missingParameter('params')]
  if (!isObject(params)) return [...errors, invalidParameter('params', 'must be an object')]
  errors.push(...unknownMembers(params, rules))
  const before = batch.personEnds.length
  readPeople(params, rules, batch, errors)
  const times = readTimes(params, rules, now, errors)
  batch.operations.push({ isDelete: type === 'Delete', people: batch.personEnds.length - before, ...times })
  return errors
}

function unknownMembers(params: Record<string, unknown>, rules: RequestRules): AdsError[] {
  const allowed = [
    'users',
    ...(rules.takesEmails ? ['emails'] : []),
    ...(rules.choosesStart ? ['effective_at'] : []),
    'expires_at',
  ]
  return Object.keys(params)
    .filter((name) => !allowed.includes(name) && !rules.ignores(`params.${name}`))
    .map((name) =>
      invalidParameter(`params.${name.slice(0, 100)}`, `is not allowed here; allowed are ${allowed.join(', ')}`),
    )
}

function readPeople(params: Record<string, unknown>, rules: BatchRules, batch: UserBatch, errors: AdsError[]): void {
  const { users, emails } = params
  if (rules.takesEmails && emails !== undefined) {
    if (users !== undefined) errors.push(exclusiveParameters('params.emails', 'users and emails exclude each other'))
    else if (params.expires_at === undefined)
      errors.push(missingParameter('params.expires_at', 'is required with emails'))
    else readEmails(emails, rules, batch, errors)
    return
  }
  if (users === undefined) {
    errors.push(missingParameter('params.users'))
    return
  }
  if (!Array.isArray(users) || users.length === 0) {
    errors.push(invalidParameter('params.users', 'must be an array of at least one user'))
    return
  }
  for (let at = 0; at < users.length && errors.length < ERRORS_OF_OPERATION; at++) {
    const problem = readPerson(users[at], rules, batch)
    if (problem) errors.push(invalidParameter(`params.users[${at}]${problem.where}`, problem.details, problem.value))
  }
}

function readEmails(emails: unknown, rules: BatchRules, batch: UserBatch, errors: AdsError[]): void {
  if (!Array.isArray(emails) || emails.length === 0) {
    errors.push(invalidParameter('params.emails', 'must be an array of at least one hashed e-mail address'))
    return
  }
  for (let at = 0; at < emails.length && errors.length < ERRORS_OF_OPERATION; at++) {
    const key = readKey('email', emails[at], rules, batch.keys)
    if (key === undefined) errors.push(invalidParameter(`params.emails[${at}]`, hashRule(rules), shortened(emails[at])))
    else {
      batch.personKeys.push(key)
      batch.personEnds.push(batch.personKeys.length)
    }
  }
}

interface PersonProblem {
  where: string
  details: string
  value?: unknown
}

function readPerson(person: unknown, rules: BatchRules, batch: UserBatch): PersonProblem | undefined {
  if (!isObject(person)) return { where: '', details: 'must be an object of identifiers' }
  const before = batch.personKeys.length
  for (const name in person) {
    const identifier = name as Identifier
    if (!rules.identifiers.includes(identifier))
      return {
        where: `.${name.slice(0, 100)}`,
        details: `is not an identifier here; allowed are ${rules.identifiers.join(', ')}`,
      }
    const values = person[name]
    if (!Array.isArray(values)) return { where: `.${name}`, details: 'must be an array' }
    for (let at = 0; at < values.length; at++) {
      const key = readKey(identifier, values[at], rules, batch.keys)
      if (key === undefined)
        return {
          where: `.${name}[${at}]`,
          details: identifier === PLAIN_IDENTIFIER ? 'must be a string that is not empty' : hashRule(rules),
          value: shortened(values[at]),
        }
      batch.personKeys.push(key)
    }
  }
  if (batch.personKeys.length === before)
    return { where: '', details: `needs a value of at least one of ${rules.identifiers.join(', ')}` }
  batch.personEnds.push(batch.personKeys.length)
  return undefined
}

const hashRule = (rules: BatchRules): string =>
  `must be a SHA-256 hash: 64 hexadecimal digits${rules.eitherCase ? '' : ' in lower case'}`

const shortened = (value: unknown): unknown => (typeof value === 'string' ? cutText(value, 100) : undefined)

function readKey(identifier: Identifier, value: unknown, rules: BatchRules, keys: KeyTable): number | undefined {
  if (typeof value !== 'string') return undefined
  if (identifier === PLAIN_IDENTIFIER) return value === '' ? undefined : keys.add(identifier, value)
  if (LOWER_HEX.test(value)) return keys.add(identifier, value)
  return rules.eitherCase && HEX.test(value) ? keys.add(identifier, value.toLowerCase()) : undefined
}

function readTimes(
  params: Record<string, unknown>,
  rules: BatchRules,
  now: Date,
  errors: AdsError[],
): Pick<UserOperation, 'effectiveAt' | 'expiresAt'> {
  const read = (name: string): Date | undefined => {
    const sent = params[name]
    if (sent === undefined || sent === null) return undefined
    const time = parseTime(sent)
    if (!time) errors.push(invalidParameter(`params.${name}`, 'must be an ISO 8601 date and time', shortened(sent)))
    return time
  }
  const latest = monthsLater(now, MONTHS)
  const effectiveAt = (rules.choosesStart ? read('effective_at') : undefined) ?? now
  const expiresAt = read('expires_at') ?? latest
  if (expiresAt <= effectiveAt)
    errors.push(
      invalidParameter('params.expires_at', `must be later than ${rules.choosesStart ? 'effective_at' : 'now'}`),
    )
  else if (!rules.choosesStart && expiresAt > latest)
    errors.push(invalidParameter('params.expires_at', `may be at most ${MONTHS} months ahead`))
  return { effectiveAt, expiresAt }
}

/** The same day some months later, or the last day of a shorter month. */
function monthsLater(time: Date, months: number): Date {
  const later = new Date(time)
  later.setUTCMonth(later.getUTCMonth() + months)
  if (later.getUTCDate() !== time.getUTCDate()) later.setUTCDate(0)
  return later
}

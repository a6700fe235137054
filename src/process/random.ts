import { AsyncLocalStorage } from 'node:async_hooks'
import { createCipheriv, createHash, randomBytes as cryptoBytes } from 'node:crypto'

/** Gives bytes that nobody can guess or, in deterministic mode, the same ones in every run. */
type Source = (length: number) => Buffer

// What a client can see is drawn here. Everything else uses node:crypto directly.
let source: Source = cryptoBytes
let restart = () => {}

export const randomBytes: Source = (length) => source(length)

/** A whole number from 0 to below a bound. The bounds are so much smaller than 2^48 that no number is favoured. */
export const randomBelow = (bound: number): number => randomBytes(6).readUIntBE(0, 6) % bound

/** A UUID of version 4. */
export function randomUuid(): string {
  const bytes = randomBytes(16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Makes this process draw the same bytes in each run with this seed. */
export function seedRandom(seed: string): void {
  const begin = () => {
    const forRequests = seededBytes(`${seed} requests`)
    const forBackground = seededBytes(`${seed} background`)
    source = (length) => (isInRequest() ? forRequests : forBackground)(length)
  }
  restart = begin
  begin()
}

/** Begins the seeded bytes again. Without a seed it changes nothing. */
export const restartRandom = (): void => restart()

function seededBytes(seed: string): Source {
  const key = createHash('sha256').update(seed).digest()
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  return (length) => stream.update(Buffer.alloc(length))
}

const requests = new AsyncLocalStorage<true>()
const isInRequest = (): boolean => requests.getStore() === true

/**
 * In deterministic mode, requests and background work count and draw separately: when the background work has its turn
 * depends on the machine.
 */
export const inRequest = <T>(work: () => T): T => requests.run(true, work)

/** Chooses between what requests use and what background work uses. */
export const chooseByRequest = <T>(ofRequests: T, ofBackground: T): T => (isInRequest() ? ofRequests : ofBackground)

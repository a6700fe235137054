import { setTimeout as pause } from 'node:timers/promises'
import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { networkOf } from '../../process/addresses.ts'
import { randomText, sameText } from '../../process/secret-box.ts'
import { type Browser, cookie, cookieName } from './browser.ts'

const WINDOW_S = 900
/** Wrong passwords for one account from one address or one known browser. */
const PER_ACCOUNT = { limit: 10, seconds: WINDOW_S }
/** Wrong passwords for any account from one address. */
const PER_ADDRESS = { limit: 100, seconds: WINDOW_S }
/** Wrong passwords for one account from everywhere: beyond `PER_ACCOUNT.limit` each try waits, but none is refused. */
const FROM_EVERYWHERE = { limit: 1_000_000, seconds: WINDOW_S }
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 4_000

const DEVICE_COOKIE = 'rostra_device'
const DEVICE_LIFE_S = 365 * 24 * 3600

/** What the throttle needs of an account; undefined where the typed name belongs to nobody. */
type Account = { id: string; password_hash: string | null } | undefined

/** A try to sign in, after it was counted. */
export interface SignInTry {
  isRefused: boolean
  /** Takes the count back: the password was right. */
  succeeded(): Promise<void>
}

/**
 * Counts a try to sign in as a wrong one, even when rate limits are off. Nobody can lock the owner of an account out: others use up
 * the tries of their own addresses, and a browser that signed in to the account before has tries of its own.
 */
export async function countTry(
  runtime: Runtime,
  request: RequestFacts,
  browser: Browser,
  account: Account,
  username: string,
): Promise<SignInTry> {
  const { limiter } = runtime
  const name = account?.id ?? username.toLowerCase()
  const device = knownDevice(runtime, browser, account)
  const counters =
    device === undefined
      ? ([
          [`sign-in:address:${networkOf(request.remoteAddress)}`, PER_ADDRESS],
          [`sign-in:account:${name}:${networkOf(request.remoteAddress)}`, PER_ACCOUNT],
          [`sign-in:everywhere:${name}`, FROM_EVERYWHERE],
        ] as const)
      : ([[`sign-in:device:${device}:${name}`, PER_ACCOUNT]] as const)
  const states = await Promise.all(counters.map(([key, window]) => limiter.take(key, window)))
  const everywhere = states.at(2)
  const isRefused = states.some((state) => state.exceeded)
  if (!isRefused && everywhere) await pause(waitMs(everywhere.limit - everywhere.remaining))
  return { isRefused, succeeded: () => limiter.giveBack(counters.map(([key]) => key)) }
}

/** How long the try number `tries` waits. */
const waitMs = (tries: number): number =>
  tries <= PER_ACCOUNT.limit ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - PER_ACCOUNT.limit - 1))

/** The cookie by which a browser is known later as one of the account. A new password makes it worthless. */
export function deviceCookie(runtime: Runtime, browser: Browser, account: NonNullable<Account>): string {
  const device = randomText(32)
  const value = `${device}.${proofOf(runtime, device, account)}`
  return cookie(DEVICE_COOKIE, value, { secure: browser.secure, maxAgeS: DEVICE_LIFE_S })
}

function knownDevice(runtime: Runtime, browser: Browser, account: Account): string | undefined {
  const [device = '', proof = ''] = (browser.cookies.get(cookieName(DEVICE_COOKIE, browser)) ?? '').split('.')
  return account && sameText(proof, proofOf(runtime, device, account)) ? device : undefined
}

const proofOf = (runtime: Runtime, device: string, account: NonNullable<Account>): string =>
  runtime.secretBox.sign(`device ${device} ${account.id} ${account.password_hash}`)

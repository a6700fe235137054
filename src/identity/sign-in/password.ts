import { scrypt, timingSafeEqual } from 'node:crypto'
import { randomBytes } from '../../process/random.ts'

const COST = 16_384
const KEY_BYTES = 32

/** The stored form of a password: scrypt with its own salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return `scrypt$${COST}$${salt.toString('base64')}$${(await derive(password, salt, COST)).toString('base64')}`
}

/** Checks a password. Without a stored one it takes equally long and returns false. */
export async function checkPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [, cost, salt, key] = (stored ?? DUMMY).split('$')
  const derived = await derive(password, Buffer.from(salt!, 'base64'), Number(cost))
  return timingSafeEqual(derived, Buffer.from(key!, 'base64')) && stored != null
}

const DUMMY = `scrypt$${COST}$${Buffer.alloc(16).toString('base64')}$${Buffer.alloc(KEY_BYTES).toString('base64')}`

function derive(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { N: cost, r: 8, p: 1 }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )
}

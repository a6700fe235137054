import type { Credentials } from '../../src/process/credentials.ts'
/** The key that every test server encrypts with. */
export const TEST_SECRET_KEY = 'a'.repeat(64)
export const TEMPLATE_DATABASE = 'rostra_template'

/** How to reach the PostgreSQL of the test run. */
export interface TestConnection {
  host: string
  port: number
  user: string
  database: string
  password?: string
}

/** The credentials of a world whose users still have their first passwords. */
export type FirstCredentials = Omit<Credentials, 'users'> & {
  users: (Credentials['users'][number] & { password: string })[]
}

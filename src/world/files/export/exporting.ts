import type { Runtime } from '../../../api-kit/runtime.ts'
import { blank } from '../../../api-kit/writing/problems.ts'
import type { Tx } from '../../../storage/database.ts'

/** The most that a world file has. A larger world is exported with `rostra export`. */
export const MOST_EXPORTED = { users: 100_000, apps: 1_000, posts: 100_000, rows: 2_000_000 }

/** One run of writing a world as a file. */
export class Exporting {
  readonly tx: Tx
  readonly runtime: Runtime
  readonly usernames = new Map<string, string>()
  readonly appIds = new Set<string>()

  constructor(tx: Tx, runtime: Runtime) {
    this.tx = tx
    this.runtime = runtime
  }

  username(id: string): string {
    return this.usernames.get(id) ?? id
  }

  checkBound(what: string, count: number, most: number): void {
    if (count > most)
      throw blank(400, `There are more than ${most} ${what}, and a world file can have ${most}. Use \`rostra export\`.`)
  }
}

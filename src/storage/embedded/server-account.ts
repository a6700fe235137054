import type { SpawnOptions } from 'node:child_process'
import { access, constants, readFile, realpath, stat } from 'node:fs/promises'
import path from 'node:path'

/** The user that PostgreSQL runs as when root starts us; `undefined` stands for the user of this process. */
export interface ServerAccount {
  uid: number
  gid: number
}

const NOBODY_ID = 65534

/** For root: the owner of existing data, otherwise `nobody`, since PostgreSQL refuses to run as root. */
export async function serverAccount(dataFolder: string): Promise<ServerAccount | undefined> {
  if (process.geteuid?.() !== 0) return undefined
  const owner = await stat(dataFolder).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const [uid, gid] = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(passwd)?.slice(1).map(Number) ?? []
  // macOS writes the ids of nobody as -2.
  return { uid: (uid ?? NOBODY_ID) >>> 0, gid: (gid ?? NOBODY_ID) >>> 0 }
}

/** The account in the form that `spawn` takes: signed 32-bit numbers. */
export function spawnIdentity(account: ServerAccount | undefined): Pick<SpawnOptions, 'uid' | 'gid'> {
  return account ? { uid: account.uid | 0, gid: account.gid | 0 } : {}
}

/** Whether the account may pass every folder on the way to `target` and has `permission` (R_OK, X_OK, ...) on it. */
export async function canReach(
  account: ServerAccount | undefined,
  target: string,
  permission: number,
): Promise<boolean> {
  try {
    if (!account) {
      await access(target, permission)
      return true
    }
    const real = await realpath(target)
    if (!(await allows(account, real, permission))) return false
    for (let folder = path.dirname(real); ; folder = path.dirname(folder)) {
      if (!(await allows(account, folder, constants.X_OK))) return false
      if (folder === path.dirname(folder)) return true
    }
  } catch {
    return false
  }
}

async function allows(account: ServerAccount, target: string, permission: number): Promise<boolean> {
  const { mode, uid, gid } = await stat(target)
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & permission) === permission
}

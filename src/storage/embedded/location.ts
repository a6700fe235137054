import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  constants,
  lstat,
  mkdir,
  readFile,
  realpath,
  rename,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { EmbeddedPostgresError, OR_OWN_SERVER } from './plain-words.ts'
import { canReach, type ServerAccount, serverAccount } from './server-account.ts'

/** The folder of the server's files (a real path), and which user it runs as. */
export interface DatabaseLocation {
  folder: string
  account: ServerAccount | undefined
}

/** A short name for a path, for folders outside it that belong to it. */
export function shortName(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 16)
}

/** Finds the location of `folder`: the folder itself, or the one its LOCATION file names. */
export async function findDatabaseLocation(folder: string, log: (line: string) => void): Promise<DatabaseLocation> {
  const isNew = (await mkdir(folder, { recursive: true })) !== undefined
  const real = await realpath(folder)
  const elsewhere = await readLocation(real)
  if (elsewhere) return { folder: elsewhere, account: await serverAccount(path.join(elsewhere, 'data')) }

  const data = path.join(real, 'data')
  const account = await serverAccount(data)
  if (!account) return { folder: real, account }
  // Root's umask may close even a folder that only the server is meant to use.
  if (isNew) await chmod(real, 0o711)
  const reachable = await canReach(account, real, constants.X_OK)
  if (existsSync(data)) {
    if (reachable) return { folder: real, account }
    throw new EmbeddedPostgresError(
      `The data in ${data} exists, but PostgreSQL, which runs as user id ${account.uid} because it refuses to run as ` +
        `root, cannot get there: a folder above it is closed. Open the folders on the way with "chmod o+x", ` +
        `or start as the user that owns them. ${OR_OWN_SERVER}`,
    )
  }
  if (reachable && (await canGiveAway(real, account))) return { folder: real, account }
  return { folder: await settleElsewhere(real, account, log), account }
}

/** The folder with the data of a server that was started in `folder`; undefined where none was. */
export async function findDataFolder(folder: string): Promise<string | undefined> {
  if (!existsSync(folder)) return undefined
  const real = await realpath(folder)
  return path.join((await readLocation(real)) ?? real, 'data')
}

async function readLocation(folder: string): Promise<string | undefined> {
  const file = path.join(folder, 'LOCATION')
  const noted = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (noted === undefined) return undefined
  const location = noted.trim()
  if (path.isAbsolute(location) && existsSync(location)) return realpath(location)
  throw new EmbeddedPostgresError(
    `${file} says that the database is in ${location}, and there is no such folder. ` +
      `Bring that folder back, or delete ${file} to begin with an empty database. ${OR_OWN_SERVER}`,
  )
}

/** Some mounts ignore or refuse a change of owner. */
async function canGiveAway(folder: string, account: ServerAccount): Promise<boolean> {
  const probe = path.join(folder, `owner-probe-${process.pid}`)
  try {
    await mkdir(probe, { recursive: true })
    await chown(probe, account.uid, account.gid)
    return (await stat(probe)).uid === account.uid
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EPERM' || code === 'EINVAL') return false
    throw error
  } finally {
    await rmdir(probe).catch(() => undefined)
  }
}

async function settleElsewhere(folder: string, account: ServerAccount, log: (line: string) => void): Promise<string> {
  for (const base of ['/var/lib/rostra', path.join(tmpdir(), 'rostra-data')]) {
    const location = await settleBelow(base, folder, account)
    if (!location) continue
    // The note comes before the data: data that nothing refers to is never created.
    const draft = path.join(folder, `LOCATION.new-${process.pid}`)
    await writeFile(draft, `${location}\n`)
    await rename(draft, path.join(folder, 'LOCATION'))
    log(
      `PostgreSQL cannot run as root, and the user it runs as (id ${account.uid}) cannot use ${folder}: ` +
        `the database is in ${location}, as ${path.join(folder, 'LOCATION')} says`,
    )
    if (!base.startsWith('/var/')) log(`${location} is a temporary folder: the system may empty it`)
    return location
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, and the user it would run as (id ${account.uid}) cannot be given a folder in ` +
      `${folder}, in /var/lib/rostra or in the temporary folder. Start as an ordinary user, or choose a data folder ` +
      `outside closed folders with ROSTRA_DATA_DIR. ${OR_OWN_SERVER}`,
  )
}

async function settleBelow(base: string, folder: string, account: ServerAccount): Promise<string | undefined> {
  try {
    const isNew = (await mkdir(base, { recursive: true })) !== undefined
    if (isNew) await chmod(base, 0o711)
    const facts = await lstat(base)
    if (!facts.isDirectory() || facts.uid !== 0 || !(await canReach(account, base, constants.X_OK))) return undefined
    // Data without a note belongs to a folder that was deleted: it is neither used again nor lost.
    for (let attempt = 1; ; attempt++) {
      const location = path.join(base, shortName(folder) + (attempt > 1 ? `-${attempt}` : ''))
      if (existsSync(path.join(location, 'data'))) continue
      await mkdir(location, { recursive: true })
      await chmod(location, 0o711)
      if (await canGiveAway(location, account)) return location
      await rmdir(location)
      if (isNew) await rmdir(base)
      return undefined
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST') return undefined
    throw error
  }
}

import { chmod, chown, constants, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type DatabaseLocation, shortName } from './location.ts'
import { EmbeddedPostgresError, OR_OWN_SERVER } from './plain-words.ts'
import { canReach } from './server-account.ts'

/** The port is only a part of the socket's name. */
export const SOCKET_PORT = 5432

// Systems allow 103 (macOS) or 107 (Linux) bytes.
const LONGEST_SOCKET_PATH = 100

/** Makes the folder of the unix socket, closed to all but the server's user: who may enter it needs no password. */
export async function makeSocketFolder(location: DatabaseLocation): Promise<string> {
  const folder = await chooseSocketFolder(location)
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const facts = await lstat(folder)
  const owners = location.account ? [0, location.account.uid] : [process.geteuid?.()]
  if (!facts.isDirectory() || !owners.includes(facts.uid)) {
    throw new EmbeddedPostgresError(
      `${folder}, where the socket of PostgreSQL belongs, was made by another user (id ${facts.uid}) and is not safe ` +
        `to use. Delete it, or choose a data folder with a shorter path with ROSTRA_DATA_DIR. ${OR_OWN_SERVER}`,
    )
  }
  await chmod(folder, 0o700)
  if (location.account) await chown(folder, location.account.uid, location.account.gid)
  return folder
}

/** The folder inside the location, or a short one outside it when the path would be too long for a socket. */
export async function chooseSocketFolder(location: DatabaseLocation): Promise<string> {
  const inside = path.join(location.folder, 'socket')
  if (fits(inside)) return inside
  const name = `rostra-${shortName(location.folder)}`
  for (const base of [tmpdir(), '/tmp']) {
    const folder = path.join(base, name)
    if (fits(folder) && (await canReach(location.account, base, constants.X_OK))) return folder
  }
  throw new EmbeddedPostgresError(
    `The path ${location.folder} is too long for a unix socket, and there is no temporary folder for one. ` +
      `Choose a data folder with a shorter path with ROSTRA_DATA_DIR. ${OR_OWN_SERVER}`,
  )
}

function fits(folder: string): boolean {
  return Buffer.byteLength(path.join(folder, `.s.PGSQL.${SOCKET_PORT}`)) < LONGEST_SOCKET_PATH
}

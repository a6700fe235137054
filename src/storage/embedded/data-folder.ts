import { existsSync } from 'node:fs'
import { chmod, chown, lchown, open, readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Binaries } from './binaries.ts'
import { buildFolder, removeLeftovers } from './building-folder.ts'
import type { DatabaseLocation } from './location.ts'
import { EmbeddedPostgresError, explainOutput, OR_OWN_SERVER } from './plain-words.ts'
import { cleanSpawnOptions, runProgram } from './run-program.ts'
import type { ServerAccount } from './server-account.ts'

export const SUPERUSER = 'rostra'

// Full text search and trigrams classify letters by the character type of the system's locale; with plain C they know
// ASCII only. Older macOS has no C.UTF-8.
const CHARACTER_TYPES = process.platform === 'win32' ? ['C'] : ['C.UTF-8', 'en_US.UTF-8', 'C']

/** Creates the data folder on the first start, and checks it on later ones. */
export async function prepareDataFolder(
  location: DatabaseLocation,
  binaries: Binaries,
  secret: { passwordFile: string | undefined },
): Promise<string> {
  const data = path.join(location.folder, 'data')
  await removeLeftovers(data)
  if (!existsSync(data) || (await readdir(data)).length === 0) {
    await buildFolder(data, (building) => initialise(building, location, binaries, secret.passwordFile))
    await makeLasting(location.folder)
  }
  await checkVersion(data, binaries.version)
  await checkOwner(data, location.account)
  return data
}

async function initialise(
  building: string,
  { account, folder }: DatabaseLocation,
  binaries: Binaries,
  passwordFile: string | undefined,
): Promise<void> {
  if (account) await chown(building, account.uid, account.gid)
  const authentication = passwordFile
    ? ['--auth=scram-sha-256', `--pwfile=${passwordFile}`]
    : ['--auth-local=trust', '--auth-host=reject']
  let output: string[] = []
  for (const characterType of CHARACTER_TYPES) {
    const run = await runProgram(
      binaries.initdb,
      [
        `--pgdata=${building}`,
        `--username=${SUPERUSER}`,
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        `--lc-ctype=${characterType}`,
        '--no-instructions',
        ...authentication,
      ],
      cleanSpawnOptions(account, building),
    )
    if (run.succeeded) return
    output = run.output
    if (!output.some((line) => line.includes('invalid locale name'))) break
  }
  throw explainOutput(output, { doing: 'Making a new PostgreSQL database', folder })
}

/** A rename survives a power cut only once its folder is written. */
async function makeLasting(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function checkVersion(data: string, version: string): Promise<void> {
  const ours = version.split('.')[0]
  const theirs = await readFile(path.join(data, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (theirs === undefined) {
    throw new EmbeddedPostgresError(
      `${data} is not empty and does not contain a PostgreSQL database. Move it away, or choose another data ` +
        `folder with ROSTRA_DATA_DIR. ${OR_OWN_SERVER}`,
    )
  }
  if (theirs.trim() === ours) return
  throw new EmbeddedPostgresError(
    `The database in ${data} was made by PostgreSQL ${theirs.trim()}, and this Rostra brings PostgreSQL ${ours}, which ` +
      `cannot read it. Start the Rostra version that created it, or move the folder away to begin with an empty ` +
      `database, or run PostgreSQL ${theirs.trim()} on it yourself and set DATABASE_URL.`,
  )
}

async function checkOwner(data: string, account: ServerAccount | undefined): Promise<void> {
  if (process.platform === 'win32') return
  const { uid, mode } = await stat(data)
  if (account) {
    if (uid !== account.uid) await giveTree(data, account)
  } else if (uid !== process.geteuid?.()) {
    throw new EmbeddedPostgresError(
      `The database in ${data} belongs to the user with the id ${uid}; root may have started Rostra here before. ` +
        `Start as that user or as root again, or give it to yourself with "chown -R". ${OR_OWN_SERVER}`,
    )
  }
  // PostgreSQL refuses a folder that others can read, as a copy or a restored backup may be.
  if ((mode & 0o777) !== 0o700) await chmod(data, 0o700)
}

async function giveTree(folder: string, { uid, gid }: ServerAccount): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(path.join(entry.parentPath, entry.name), uid, gid)
  }
  // Last: the owner of the folder shows that the whole tree was changed.
  await chown(folder, uid, gid)
}

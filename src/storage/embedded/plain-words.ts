/** An expected failure with a one-paragraph message for people. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

export const OR_OWN_SERVER = 'Or set DATABASE_URL to use a PostgreSQL server of your own (15 or newer).'

const FILE_TROUBLES: Record<string, (folder: string) => string> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: readOnly,
  // Node reports this for a read-only file system when it creates several folders.
  ENOENT: readOnly,
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  ENOTDIR: (folder) => `A part of the path ${folder} is a file, not a folder. Choose another data folder.`,
  EEXIST: (folder) => `A file is in the way at ${folder}. Move it away or choose another data folder.`,
  EBUSY: (folder) => `A folder below ${folder} is in use, perhaps as a mount point. Mount its parent instead.`,
}

/** Turns a file system error into an EmbeddedPostgresError; any other error stays as it is. */
export function inPlainWords(error: unknown, folder: string): unknown {
  if (error instanceof EmbeddedPostgresError || !(error instanceof Error)) return error
  const { code, path: where, syscall } = error as NodeJS.ErrnoException
  // setuid or setgid was refused, not a file.
  if (code && syscall?.startsWith('spawn') && ['EPERM', 'EINVAL'].includes(code)) return cannotSwitchUser(error)
  const sentence = code === undefined ? undefined : FILE_TROUBLES[code]?.(where ?? folder)
  if (!sentence) return error
  return new EmbeddedPostgresError(`The embedded PostgreSQL cannot start. ${sentence} ${OR_OWN_SERVER}`, {
    cause: error,
  })
}

/** Says why `initdb` or `postgres` ended, from what it wrote. */
export function explainOutput(output: string[], about: { doing: string; folder: string }): EmbeddedPostgresError {
  const text = output.join('\n')
  return new EmbeddedPostgresError(`${about.doing} failed. ${adviceFor(text, about.folder)} ${OR_OWN_SERVER}`)
}

function adviceFor(text: string, folder: string): string {
  if (/could not look up effective user ID/.test(text)) {
    return (
      `PostgreSQL needs a user with a name, and the user id of this process has no entry in the passwd file. ` +
      `Run as a user that exists, or add an entry (in a container: a line in /etc/passwd).`
    )
  }
  if (/No space left on device|Disk quota exceeded/.test(text)) return diskFull(folder)
  if (/error while loading shared libraries|Library not loaded|Error relocating|version `GLIBC/.test(text)) {
    return `The bundled PostgreSQL cannot run on this system: ${lastOf(text)}`
  }
  if (/still in use/.test(text)) {
    return `Processes of an earlier PostgreSQL still hold the data in ${folder}; end them and start again.`
  }
  if (/lock file .* already exists/.test(text)) {
    return (
      `The lock file of ${folder} names a process that runs but cannot be recognised. ` +
      `When no PostgreSQL uses this folder, delete postmaster.pid in it and start again.`
    )
  }
  if (/could not (?:create|resize|map).*shared memory|Cannot allocate memory/.test(text)) {
    return `The system has too little free memory for PostgreSQL (it needs about 300 MB): ${lastOf(text)}`
  }
  return text.trim() === '' ? 'It wrote nothing.' : `Its last words: ${lastOf(text)}`
}

function readOnly(folder: string): string {
  return `${folder} cannot be made; the file system may be read-only. Choose another data folder with ROSTRA_DATA_DIR.`
}

function lastOf(text: string): string {
  const words = text.trim().split('\n').slice(-8).join(' | ')
  return /[.)]$/.test(words) ? words : `${words}.`
}

function diskFull(folder: string): string {
  return `The disk that holds ${folder} is full. Free some space (a new database needs about 100 MB) and start again.`
}

function noPermission(folder: string): string {
  return (
    `This user may not read and write ${folder}. Give it to this user, ` +
    `start as the user that made it (perhaps root), or choose another data folder with ROSTRA_DATA_DIR.`
  )
}

function cannotSwitchUser(cause: Error): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, and this root may not switch to the user "nobody" (${cause.message}). ` +
      `Start as an ordinary user. ${OR_OWN_SERVER}`,
    { cause },
  )
}

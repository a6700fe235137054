import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { keyOfSeed } from '../process/deterministic.ts'
import { createSecretBox } from '../process/secret-box.ts'
import type { Settings } from '../settings.ts'
import type { Database } from '../storage/database.ts'
import { statement } from '../storage/statement.ts'
import { StartError } from './start-error.ts'

const keepFingerprint = statement(
  'secret_key_fingerprint',
  { value: 'text' },
  `with added as (insert into instance_fact (name, value) values ('key_fingerprint', $1) on conflict do nothing returning value)
   select value from added union all select value from instance_fact where name = 'key_fingerprint'`,
)

/** The key that encrypts stored secrets: from the settings, or from a file beside the database, never in it. */
export function readSecretKey(settings: Settings): string {
  if (settings.secretKey !== '') return settings.secretKey
  const file = path.join(settings.dataDir, 'secret.key')
  const fixed = settings.deterministic === '' ? undefined : keyOfSeed(settings.deterministic)
  if (existsSync(file)) {
    const key = readFileSync(file, 'utf8').trim()
    if (!/^[0-9a-f]{64}$/i.test(key))
      throw new StartError(
        `The file ${file} does not contain a key of 64 hex digits. Restore the right file from a backup, or start with an empty data folder.`,
      )
    if (fixed !== undefined && key !== fixed)
      throw new StartError(
        'This data folder was not made with this seed of --deterministic. Start with the same seed, or with an empty data folder.',
      )
    return key
  }
  const key = fixed ?? randomBytes(32).toString('hex')
  writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx' })
  return key
}

/** Refuses a key that is not the one the stored secrets were encrypted with. */
export async function checkSecretKey(database: Database, key: string): Promise<void> {
  const { fingerprint } = createSecretBox(key)
  const stored = (await keepFingerprint.first(database, fingerprint))?.value
  if (stored === undefined || stored === fingerprint) return
  throw new StartError(
    'The stored secrets of this database were encrypted with another key. Put the file secret.key of the first machine into the data folder, or set ROSTRA_SECRET_KEY to its content.',
  )
}

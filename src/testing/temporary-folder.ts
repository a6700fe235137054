import { chmodSync, mkdtempSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** A new folder. PostgreSQL runs as another user when root starts it, and has to get through. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rostra-'))
  chmodSync(folder, 0o711)
  return folder
}

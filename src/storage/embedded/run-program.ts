import { type SpawnOptions, spawn } from 'node:child_process'
import { type ServerAccount, spawnIdentity } from './server-account.ts'

/**
 * The spawn options of PostgreSQL's programs: English messages, and no PG* or library variables of the user who
 * starts us. Windows programs need the inherited system variables.
 */
export function cleanSpawnOptions(account: ServerAccount | undefined, cwd: string): SpawnOptions {
  const env = process.platform === 'win32' ? undefined : { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' }
  return { env, cwd, windowsHide: true, ...spawnIdentity(account) }
}

/** Runs a program to its end and returns what it wrote; rejects only when it cannot be started. */
export async function runProgram(
  program: string,
  programArguments: string[],
  options: SpawnOptions = {},
): Promise<{ succeeded: boolean; output: string[] }> {
  const child = spawn(program, programArguments, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (signal) text += `\nended by ${signal}`
      resolve({ succeeded: code === 0, output: text.split('\n').filter((line) => line.trim() !== '') })
    })
  })
}

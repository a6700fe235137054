import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { finish, removeFolder, spawnRostra, temporaryFolder } from '../support/child-server.ts'
import { processesOn } from '../support/processes.ts'
import { sampleOf } from '../support/sampling.ts'

// A hundred take ten minutes; npm run test:full makes them.
const STARTS = inject('sampling').cases === 'all' ? 100 : 8
const LATEST_MS = 6_000
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) removeFolder(folder)
})

/** The processes of a start: those with its mark in their environment, which workers inherit, and the database on its folder. */
function processesOf(folder: string, mark: string): number[] {
  const marked = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark)
      } catch {
        return false
      }
    })
  return [...new Set([...marked.map(Number), ...processesOn(folder)])]
}

/** Moments all over the start; every third start is ended by two signals, as a terminal or a service manager may do. */
const starts = Array.from({ length: STARTS }, (_, at) => ({
  at,
  afterMs: Math.round(((at * 37) % STARTS) * (LATEST_MS / STARTS)),
  signals: at % 3 === 0 ? 2 : 1,
}))
let known: string | undefined

test.runIf(process.platform === 'linux').for(sampleOf('ended starts', starts, 1))(
  'SIGTERM $afterMs ms after a start leaves no process',
  { timeout: 240_000 },
  async ({ at, afterMs, signals }) => {
    // Half of them on data that exists: a start is then faster.
    if (at % 2 === 0 || known === undefined) {
      known = temporaryFolder()
      folders.push(known)
    }
    const folder = known
    const mark = `ENDED_START=${process.pid}-${at}-`
    const [name, value] = mark.split('=') as [string, string]
    const child = spawnRostra(['start', '--json', '--data-dir', `${folder}/data`, '--port', '0', '--workers', '2'], {
      env: { [name]: value },
    })
    const ended = finish(child)
    await sleep(afterMs)
    for (let sent = 0; sent < signals; sent++) {
      child.kill('SIGTERM')
      await sleep(20)
    }
    const { code, stderr } = await ended
    expect([0, 130, null], stderr).toContain(code)
    // The last children may need a moment after their parent.
    await expect.poll(() => processesOf(folder, mark)).toEqual([])
  },
)

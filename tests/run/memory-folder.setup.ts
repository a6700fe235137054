import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { isIdInUse } from '../../src/storage/embedded/processes.ts'

const MEMORY = '/dev/shm'
const NAME = /^rostra-tests-(\d+)$/
// A run has at most 2 GB there at a time.
const NEEDED_BYTES = 4 * 2 ** 30

/**
 * Puts the temporary files of this run into memory, where there is much of it. Tests start some hundred databases, and on a disk that
 * others use too, waiting for it took most of the time. Files in memory survive a killed process as those on a disk do.
 */
export default function setup(): (() => void) | undefined {
  // Whoever names a folder gets that one.
  if (process.platform !== 'linux' || process.env.TMPDIR !== undefined) return
  const folder = path.join(MEMORY, `rostra-tests-${process.pid}`)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    removeOfDeadRuns()
    if (freeBytes() < NEEDED_BYTES) return
    mkdirSync(folder)
    checkExecution(folder)
    // As the usual temporary folder: the database runs as another user when root runs the tests.
    chmodSync(folder, 0o1777)
  } catch {
    // The usual folder does as well.
    remove()
    return
  }
  process.env.TMPDIR = folder
  return remove
}

function removeOfDeadRuns(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = NAME.exec(name)?.[1]
    if (pid === undefined || isIdInUse(Number(pid))) continue
    rmSync(path.join(MEMORY, name), { recursive: true, force: true })
  }
}

function freeBytes(): number {
  const { bavail, bsize } = statfsSync(MEMORY)
  const available = Number(/^MemAvailable:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0) * 1024
  // A container may have less than its machine.
  const bound = Number(readIfThere('/sys/fs/cgroup/memory.max'))
  return Math.min(bavail * bsize, available, bound > 0 ? bound : Number.POSITIVE_INFINITY)
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Tests copy programs too. Throws on machines that forbid to run them from there. */
function checkExecution(folder: string): void {
  const probe = path.join(folder, 'probe')
  writeFileSync(probe, '', { mode: 0o755 })
  accessSync(probe, constants.X_OK)
  rmSync(probe)
}

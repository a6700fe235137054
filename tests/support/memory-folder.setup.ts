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
    if (!canExecuteIn(folder)) throw new Error('no programs')
    // As the usual temporary folder: the database runs as another user when root runs the tests.
    chmodSync(folder, 0o1777)
  } catch {
    remove()
    return
  }
  process.env.TMPDIR = folder
  return remove
}

function removeOfDeadRuns(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = NAME.exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    rmSync(path.join(MEMORY, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
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

/** Tests copy programs too, and some machines forbid to run them from there. */
function canExecuteIn(folder: string): boolean {
  const probe = path.join(folder, 'probe')
  writeFileSync(probe, '', { mode: 0o755 })
  try {
    accessSync(probe, constants.X_OK)
    return true
  } catch {
    return false
  } finally {
    rmSync(probe)
  }
}

// Starts and stops the measured servers.
import { fork, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** A bare server that answers everything with these bytes. */
export async function startBare(body, status) {
  const child = fork(path.join(root, 'bench', 'bare-server.js'), {
    env: { ...process.env, BENCH_BODY: Buffer.from(body).toString('base64'), BENCH_STATUS: String(status) },
  })
  const { port } = await new Promise((resolve) => child.once('message', resolve))
  return { baseUrl: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') }
}

/** Rostra from the command line on a data folder, with one worker and without limits. */
export async function startRostra(dataDir, flags = ['--workers', '1', '--rate-limits', 'off']) {
  const started = performance.now()
  const child = spawn(
    process.execPath,
    // With the flags of the benchmark itself, such as --cpu-prof.
    [
      ...process.execArgv,
      path.join(root, 'bin', 'rostra.js'),
      'start',
      '--json',
      '--port',
      '0',
      '--data-dir',
      dataDir,
      ...flags,
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const line = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text)
    })
    child.once('exit', (code) => reject(new Error(`Rostra ended with ${code}`)))
  })
  const readyMs = performance.now() - started
  const { credentials } = JSON.parse(line)
  return {
    readyMs,
    pid: child.pid,
    credentials: JSON.parse(readFileSync(credentials, 'utf8')),
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners('exit')
        child.once('exit', resolve)
        child.kill('SIGTERM')
      }),
  }
}

export function temporaryFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rostra-bench-'))
  // When root runs the benchmark, the database runs as another user, who needs access.
  chmodSync(folder, 0o755)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A process and its descendants. Linux only. */
function familyOf(pid) {
  const parents = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = statOf(name)
    if (stat) parents.set(Number(name), Number(stat[1]))
  }
  const family = new Set([pid])
  for (let grown = true; grown; ) {
    grown = false
    for (const [child, parent] of parents)
      if (family.has(parent) && !family.has(child)) grown = Boolean(family.add(child))
  }
  return family
}

/** The fields of a process after its name; undefined when it has ended. */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function sumByKind(pid, measure) {
  const sums = { node: 0, postgres: 0 }
  for (const member of familyOf(pid)) {
    try {
      const name = readFileSync(`/proc/${member}/comm`, 'utf8')
      sums[name.startsWith('postgres') ? 'postgres' : 'node'] += measure(member)
    } catch {}
  }
  return sums
}

/** Proportional memory in MB of a process and its descendants, by kind. Linux only. */
export const memoryOf = (pid) =>
  sumByKind(pid, (member) => {
    const rollup = readFileSync(`/proc/${member}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024
  })

const TICKS_PER_SECOND = 100

/** Seconds of processor time that a process and its descendants used, also those that ended, by kind. Linux only. */
export const processorOf = (pid) =>
  sumByKind(pid, (member) => {
    const [user, system, endedUser, endedSystem] = (statOf(member) ?? []).slice(11, 15).map(Number)
    return (user + system + endedUser + endedSystem) / TICKS_PER_SECOND
  })

/** How to reach the database of a running installation. */
export const connectionOf = (folder) => JSON.parse(readFileSync(path.join(folder, 'instance.json'), 'utf8')).connection

// How long the command line takes to start, beside `node -e 0` on the same machine: help, and a call of a running server.
// Usage: node bench/cli.js [rounds]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROUNDS = Number(process.argv[2] ?? 25)
const MOST = 2
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const rostra = path.join(root, 'bin/rostra.js')
const folder = mkdtempSync(path.join(os.tmpdir(), 'rostra-bench-cli-'))
const env = { ...process.env, XDG_STATE_HOME: folder, ROSTRA_DATA_DIR: path.join(folder, 'data') }

const run = (args) => {
  const begun = process.hrtime.bigint()
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  const ms = Number(process.hrtime.bigint() - begun) / 1e6
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return ms
}

const CASES = {
  'node -e 0': ['-e', '0'],
  'rostra --help': [rostra, '--help'],
  'rostra user token --help': [rostra, 'user', 'token', '--help'],
  'rostra app list': [rostra, 'app', 'list'],
  'rostra user list --json': [rostra, 'user', 'list', '--json'],
  'rostra limits clear': [rostra, 'limits', 'clear'],
  'rostra log': [rostra, 'log'],
  'rostra status': [rostra, 'status'],
}

try {
  run([rostra, 'start', '--detach', '--port', '0', '--workers', '1'])
  const times = Object.fromEntries(Object.keys(CASES).map((name) => [name, []]))
  // In turns, so whatever else the machine does concerns all of them.
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, args] of Object.entries(CASES)) times[name].push(run(args))
  const median = (list) => list.toSorted((left, right) => left - right)[Math.floor(list.length / 2)]
  const base = median(times['node -e 0'])
  let isSlow = false
  for (const [name, list] of Object.entries(times)) {
    const ratio = median(list) / base
    isSlow ||= ratio > MOST
    console.log(`${name.padEnd(26)} ${median(list).toFixed(1).padStart(7)} ms  ${ratio.toFixed(2)} times node -e 0`)
  }
  if (isSlow) console.log(`Slower than ${MOST} times node -e 0.`)
  process.exitCode = isSlow ? 1 : 0
} finally {
  spawnSync(process.execPath, [rostra, 'stop'], { env })
  rmSync(folder, { recursive: true, force: true })
}

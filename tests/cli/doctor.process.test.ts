import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProgram, emptyDatabase, removeFolder, runRostra, temporaryFolder } from '../support/child-server.ts'

const NOBODY = 65534
const CHECKS = [
  ...['Node', 'PostgreSQL', 'data folder', 'free space', 'disk speed', 'clock', 'socket path', 'memory', 'open files'],
  ...['port', 'instance', 'DATABASE_URL', 'secret.key', 'credentials'],
]

let folder: string
beforeAll(() => {
  buildProgram()
  folder = temporaryFolder()
})
afterAll(() => removeFolder(folder))

interface Finding {
  check: string
  state: string
  message: string
}

async function doctor(args: string[], options: Parameters<typeof runRostra>[1] = {}) {
  const done = await runRostra(['doctor', '--json', ...args], options)
  const { healthy, findings } = JSON.parse(done.stdout) as { healthy: boolean; findings: Finding[] }
  const about = (check: string) => findings.find((item) => item.check === check)!
  const failed = findings.filter((item) => item.state === 'fail').map((item) => item.check)
  return { code: done.code, healthy, findings, about, failed }
}

test('a machine without problems gets one line for each check, and nothing is created', async () => {
  const fresh = path.join(folder, 'not', 'yet')
  const { code, stdout, stderr } = await runRostra(['doctor', '--port', '0', '--data-dir', fresh])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  const shown = lines.slice(0, CHECKS.length).map((line) => /^(ok|warn) +(.*?) {2,}\S.*[.)]$/.exec(line)?.[2])
  expect(shown).toEqual(CHECKS)
  expect(lines[CHECKS.length]).toBe('')
  expect(lines[CHECKS.length + 1]).toMatch(/^(Everything is fine\.|Rostra can run here; )/)
  expect(existsSync(path.join(folder, 'not'))).toBe(false)
})

test('a taken port fails with the process that holds it', async () => {
  const holder = net.createServer().listen(0, 'localhost')
  await new Promise((resolve) => holder.once('listening', resolve))
  const { port } = holder.address() as net.AddressInfo
  const found = await doctor(['--data-dir', folder], { env: { ROSTRA_PORT: String(port) } })
  holder.close()
  expect(found).toMatchObject({ code: 1, healthy: false, failed: ['port'] })
  expect(found.about('port').message).toMatch(
    new RegExp(`^Port ${port} is taken by process ${process.pid} \\(.+\\)\\. .*--port or ROSTRA_PORT\\.$`),
  )
})

test('secrets that others can read and a broken key fail with the command that helps', async () => {
  const open = path.join(folder, 'open')
  mkdirSync(open)
  for (const name of ['secret.key', 'credentials.json']) writeFileSync(path.join(open, name), 'a'.repeat(64))
  for (const name of ['secret.key', 'credentials.json']) chmodSync(path.join(open, name), 0o644)
  const found = await doctor(['--data-dir', open, '--port', '0'])
  expect(found).toMatchObject({ code: 1, failed: ['secret.key', 'credentials'] })
  expect(found.about('secret.key').message).toContain(`(mode 644). Protect it with "chmod 600 ${open}/secret.key".`)

  writeFileSync(path.join(open, 'secret.key'), 'rubbish')
  for (const name of ['secret.key', 'credentials.json']) chmodSync(path.join(open, name), 0o600)
  const broken = await doctor(['--data-dir', open, '--port', '0'])
  expect(broken).toMatchObject({ code: 1, failed: ['secret.key'] })
  expect(broken.about('secret.key').message).toContain('does not contain 64 hex digits')
})

test('a data folder that this user cannot write fails', async () => {
  const closed = path.join(folder, 'closed')
  mkdirSync(closed, { mode: 0o555 })
  const options = process.getuid?.() === 0 ? { uid: NOBODY } : {}
  const found = await doctor(['--data-dir', path.join(closed, 'data'), '--port', '0'], options)
  expect(found).toMatchObject({ code: 1, failed: ['data folder'] })
  expect(found.about('data folder').message).toMatch(
    /^This user may not write in \S+closed \(EACCES\)\. .*--data-dir\.$/,
  )
  expect(found.about('disk speed').state).toBe('warn')
})

test('a database address that does not answer fails without its password, one that answers is fine', async () => {
  const url = 'postgres://me:pass-word@127.0.0.1:9/rostra'
  const lost = await doctor(['--data-dir', folder, '--port', '0', '--database-url', url])
  expect(lost).toMatchObject({ code: 1, failed: ['DATABASE_URL'] })
  expect(lost.about('DATABASE_URL').message).toMatch(
    /^The database of DATABASE_URL at .* cannot be reached: .*ECONNREFUSED/,
  )
  expect(JSON.stringify(lost.findings)).not.toContain('pass-word')

  const found = await doctor(['--data-dir', folder, '--port', '0'], { env: { DATABASE_URL: await emptyDatabase() } })
  expect(found).toMatchObject({ code: 0, failed: [] })
  expect(found.about('DATABASE_URL').message).toMatch(/^PostgreSQL \d+\.\d+\S* answers\.$/)
  expect(found.about('PostgreSQL').message).toMatch(/^The server of DATABASE_URL is used/)
})

test('a data folder with a long path gets its socket elsewhere', async () => {
  const long = path.join(folder, 'x'.repeat(120))
  const found = await doctor(['--data-dir', long, '--port', '0'])
  expect(found.about('socket path')).toMatchObject({ state: 'ok' })
  expect(found.about('socket path').message).toContain('The path of the data folder is long')
})

test('an instance that has the data folder and does not answer fails', async () => {
  const silent = path.join(folder, 'silent')
  mkdirSync(silent)
  const port = await freePort()
  const instance = { pid: process.pid, started: '', listen_url: `http://localhost:${port}` }
  writeFileSync(path.join(silent, 'instance.json'), JSON.stringify(instance))
  const found = await doctor(['--data-dir', silent, '--port', '0'])
  expect(found).toMatchObject({ code: 1, failed: ['instance'] })
  expect(found.about('instance').message).toContain(
    `Process ${process.pid} is running, but http://localhost:${port}/health`,
  )
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = net.createServer().listen(0, 'localhost', () => {
      const { port } = probe.address() as net.AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

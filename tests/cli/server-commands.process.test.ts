import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasColour } from '../../src/cli/colour.ts'
import { removeFolder, runRostra, temporaryFolder } from '../support/child-server.ts'
import { processesOn } from '../support/processes.ts'
import { call } from './call-main.ts'

let folder: string
let where: string[]
beforeAll(() => {
  folder = temporaryFolder()
  where = ['--data-dir', path.join(folder, 'data')]
})
afterAll(async () => {
  await run('stop', ...where)
  removeFolder(folder)
})

const run = (...args: string[]) => runRostra(args, { env: { XDG_STATE_HOME: path.join(folder, 'state') } })

test('a server is started in the background, found, waited for and stopped', async () => {
  const none = await run('status', ...where, '--json')
  expect(none.code).toBe(3)
  expect(JSON.parse(none.stdout)).toEqual({
    state: 'stopped',
    data_dir: path.join(folder, 'data'),
    base_url: null,
    pid: null,
    known: [],
  })
  expect(await run('wait', '--timeout', '10ms', ...where)).toMatchObject({ code: 4, stdout: '' })
  expect(existsSync(path.join(folder, 'data'))).toBe(false)

  const started = await run('start', '--detach', '--port', '0', '--workers', '1', ...where, '--json')
  expect(started).toMatchObject({ code: 0, stderr: '' })
  const ready = JSON.parse(started.stdout)
  expect(ready).toMatchObject({ ready: true, base_url: expect.stringMatching(/^http:/), pid: expect.any(Number) })
  expect((await fetch(`${ready.base_url}/health`)).status).toBe(200)
  expect(existsSync(ready.credentials)).toBe(true)

  const [status, waited, second] = await Promise.all([
    run('status', ...where),
    run('wait', ...where, '--json'),
    run('start', '--detach', '--port', '0', ...where),
  ])
  expect(status.code).toBe(0)
  expect(status.stdout).toMatch(/^state +running$/m)
  expect(status.stdout).toContain('Known instances:')
  expect(JSON.parse(waited.stdout)).toEqual({ ready: true, base_url: ready.base_url, pid: ready.pid })
  expect(second.code).toBe(1)
  expect(second.stderr).toMatch(/^The data folder .* is in use by another instance of Rostra \(process \d+, http:/)

  const elsewhere = await run('user', 'list', '--data-dir', path.join(folder, 'empty'))
  expect(elsewhere.code).toBe(1)
  expect(elsewhere.stderr).toContain(`Known instances:\n  ${path.join(folder, 'data')}  ${ready.base_url}\n`)
  const made = await run('user', 'create', '--username', 'nadia', ...where)
  expect(made.stderr).toBe(`Changed ${ready.base_url}, with the data folder ${path.join(folder, 'data')}.\n`)
  expect((await run('user', 'list', ...where)).stderr).toBe('')

  const stopped = await run('stop', ...where, '--json')
  expect(JSON.parse(stopped.stdout)).toEqual({ stopped: true, data_dir: path.join(folder, 'data'), pid: ready.pid })
  expect(processesOn(folder)).toEqual([])
  const again = await run('stop', ...where)
  expect(again).toMatchObject({ code: 0, stdout: `No server is running on ${path.join(folder, 'data')}.\n` })
})

test('a start in the background that fails prints why, and leaves nothing', async () => {
  const failed = await run(
    'start',
    '--detach',
    '--port',
    '0',
    '--host',
    '192.0.2.1',
    '--data-dir',
    path.join(folder, 'no'),
  )
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toMatch(/^The address 192\.0\.2\.1 is not one of this machine\./)
  expect(existsSync(path.join(folder, 'no'))).toBe(false)
})

test('a length of time is refused by the name of its flag', async () => {
  expect(await call(['wait', '--timeout', 'soon', ...where])).toMatchObject({
    code: 1,
    stderr: '--timeout is "soon", but must be a time such as 500ms, 2s or 1m.\n',
  })
})

test('colours follow NO_COLOR, FORCE_COLOR and the terminal', () => {
  const terminal = { isTTY: true }
  expect(hasColour(terminal, {})).toBe(true)
  expect(hasColour(terminal, { TERM: 'dumb' })).toBe(false)
  expect(hasColour({}, {})).toBe(false)
  expect(hasColour({}, { FORCE_COLOR: '1' })).toBe(true)
  expect(hasColour(terminal, { FORCE_COLOR: '0' })).toBe(false)
  expect(hasColour(terminal, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false)
  expect(hasColour(terminal, { NO_COLOR: '' })).toBe(true)
})

test('a damaged file of known instances is like none', async () => {
  const file = path.join(folder, 'state/rostra/instances.json')
  expect(JSON.parse(readFileSync(file, 'utf8')).instances).toHaveLength(1)
  writeFileSync(file, '{"instances": [')
  expect(JSON.parse((await run('status', ...where, '--json')).stdout).known).toEqual([])
})

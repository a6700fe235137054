import { spawn, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { removeFolder } from '../support/child-server.ts'
import { processesOn } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { installPacked, ROOT } from './packed-program.ts'

// Packing, and a run of vitest inside of this one, take long: `npm run test:rest` does it.
const isWanted = inject('sampling').cases !== 'some'

let folder: string
beforeAll(() => {
  if (!isWanted) return
  folder = installPacked()
  cpSync(path.join(ROOT, 'examples/vitest'), folder, { recursive: true })
})
afterAll(() => folder && removeFolder(folder))

const VITEST = path.join(ROOT, 'node_modules/vitest/vitest.mjs')
/** The environment without the marks of the run that this test belongs to. */
const plainEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|ROSTRA_|TEST$|NODE_ENV$)/.test(name)))
const runVitest = (...args: string[]) =>
  spawnSync(process.execPath, [VITEST, 'run', '--maxWorkers=2', ...args], {
    cwd: folder,
    env: { ...plainEnvironment(), NO_COLOR: '1' },
    encoding: 'utf8',
  })

describe.runIf(isWanted)('the example with vitest, from the packed package', () => {
  test('passes with a world for each worker', { timeout: 180_000 }, () => {
    const { status, stdout, stderr } = runVitest()
    expect(status, stdout + stderr).toBe(0)
    expect(stdout).toMatch(/Tests {2}4 passed/)
  })

  test.runIf(process.platform === 'linux')(
    'leaves nothing running when the runner is killed',
    { timeout: 180_000 },
    async () => {
      const text = `import { test } from 'rostra/vitest'
import { writeFileSync } from 'node:fs'
test('waits', { timeout: 100_000 }, async ({ rostra }) => {
  writeFileSync('world.json', JSON.stringify({ url: rostra.url }))
  await new Promise(() => {})
})`
      writeFileSync(path.join(folder, 'waits.test.js'), text)
      const runner = spawn(process.execPath, [VITEST, 'run', 'waits.test.js'], {
        cwd: folder,
        env: plainEnvironment(),
        stdio: 'ignore',
      })
      const read = () => {
        try {
          return JSON.parse(readFileSync(path.join(folder, 'world.json'), 'utf8')) as { url: string }
        } catch {
          return undefined
        }
      }
      await until(() => read() !== undefined, 100_000)
      const { url } = read()!
      const running = processesOn(path.join(folder, 'node_modules/rostra'))
      expect(running.length).toBeGreaterThanOrEqual(3)
      runner.kill('SIGKILL')
      await until(() => processesOn(path.join(folder, 'node_modules/rostra')).length === 0)
      await expect(fetch(`${url}/health`)).rejects.toThrow()
    },
  )
})

describe.runIf(isWanted)('the types of the packed package', () => {
  const SOURCE = `
import { connect, RostraError, type Delivery } from 'rostra'
import { startRostra } from 'rostra/testing'
export async function sample(): Promise<string[]> {
  const rostra = await startRostra({ world: 'first', rateLimits: false, deterministic: 'seed-1' })
  const alice = rostra.user('alice')
  const token = await alice.oauth2(['post.read', 'bookmark.read'])
  await rostra.fault({ match: 'POST /2/posts', times: 2, status: 503 })
  await rostra.clock.advance('2h')
  const delivery: Delivery = await rostra.waitForDelivery((d) => d.eventType === 'post.create')
  await rostra.reset(); await rostra.snapshot('a'); await rostra.restore('a'); await rostra.stop()
  const running = await connect({ url: 'http://localhost:8080', adminKey: 'key' })
  // @ts-expect-error: only a server that was started has a process.
  running.pid
  // @ts-expect-error: an address needs its key.
  await connect({ url: 'http://localhost:8080' })
  throw new RostraError(delivery.kind, 0, token.scopes)
}`

  test.for([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('compile with module %s and resolution %s, without the types of Node', ([module, moduleResolution]) => {
    writeFileSync(path.join(folder, 'sample.ts'), SOURCE)
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc')
    const flags = { module, moduleResolution, target: 'es2022', lib: 'es2022', skipLibCheck: 'false', types: '' }
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value!])
    const run = spawnSync(process.execPath, [compiler, '--noEmit', '--strict', ...args, 'sample.ts'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(run.stdout + run.stderr).toBe('')
  })

  test('of the fixtures compile beside those of vitest', () => {
    const text = `
import { expect } from 'vitest'
import { test as base, type Rostra } from 'rostra/vitest'
const test = base.extend<{ url: string }>({ url: async ({ rostra }, use) => { await use(rostra.url) } })
test('typed', async ({ rostra, url }) => {
  const typed: Rostra = rostra
  expect(typed.url).toBe(url)
})`
    writeFileSync(path.join(folder, 'fixtures.ts'), text)
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc')
    const args = '--noEmit --strict --module nodenext --target es2024 --skipLibCheck --types node fixtures.ts'.split(
      ' ',
    )
    const run = spawnSync(process.execPath, [compiler, ...args], { cwd: folder, encoding: 'utf8' })
    expect(run.stdout + run.stderr).toBe('')
  })
})

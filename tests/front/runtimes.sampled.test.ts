import { spawnSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  type ChildServer,
  type Finished,
  finish,
  removeFolder,
  spawnRostra,
  startChildServer,
  temporaryFolder,
} from '../support/child-server.ts'
import { findChromium } from '../support/chromium.ts'

// Runtimes take long to start and are not on every machine: `npm run test:rest` runs these.
const isWanted = inject('sampling').cases !== 'some' && process.platform === 'linux'
const PROGRAMS = path.join(import.meta.dirname, 'programs')
const MINUTES = 60_000
const NOBODY = 65_534

let server: ChildServer
let folder: string
beforeAll(async () => {
  if (!isWanted) return
  folder = temporaryFolder()
  server = await startChildServer({
    dataDir: path.join(folder, 'data'),
    flags: ['--workers', '1', '--rate-limits', 'off'],
  })
})
afterAll(async () => {
  await server?.stop()
  if (folder) removeFolder(folder)
})

const exec = (...words: string[]): Promise<Finished> =>
  finish(spawnRostra(['exec', '--data-dir', server.dataDir, '--', ...words]))

/** Whether a program starts. One that does not is named loudly: nobody has then tried its way to the server. */
function has(program: string, ...args: string[]): boolean {
  if (!isWanted) return false
  if (spawnSync(program, args, { stdio: 'ignore' }).status === 0) return true
  process.stderr.write(
    `\n!! ${program} IS NOT ON THIS MACHINE (${[program, ...args].join(' ')}): ITS TESTS ARE SKIPPED.\n\n`,
  )
  return false
}

const python = process.env.ROSTRA_TEST_PYTHON ?? 'python3'

describe.runIf(isWanted)('unmodified programs in other runtimes', () => {
  test.runIf(has(python, '--version'))(
    'Python: requests, httpx, aiohttp, tweepy',
    { timeout: 2 * MINUTES },
    async () => {
      const { code, stdout, stderr } = await exec(python, path.join(PROGRAMS, 'python', 'clients.py'))
      expect(code, stderr).toBe(0)
      const found = JSON.parse(stdout) as Record<string, unknown>
      const absent = Object.entries(found).filter(([, value]) => String(value).startsWith('absent: '))
      if (absent.length > 0) process.stderr.write(`\n!! NOT TRIED, NO PACKAGE: ${absent.flat().join(' ')}\n\n`)
      const wanted: Record<string, unknown> = {
        urllib: 'alice',
        'http.client': 'alice',
        requests: 'alice',
        httpx: 'alice',
        'httpx async': 'alice',
        aiohttp: 'alice',
        tweepy: 'alice',
        'tweepy async': 'alice',
        'tweepy streaming': 'An otter, streamed',
        'tweepy async streaming': 'A badger, streamed',
        'tweepy media upload': 2,
      }
      for (const [name] of absent) wanted[name] = found[name]
      expect(found).toEqual(wanted)
    },
  )

  const twarc = path.join(path.dirname(python), 'twarc2')
  test.runIf(has(twarc, '--help'))('twarc2', { timeout: MINUTES }, async () => {
    const { code, stdout, stderr } = await exec(twarc, '--no-metadata', 'timeline', '--limit', '5', 'alice')
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout.split('\n')[0]!).data[0]).toHaveProperty('text')
  })

  test.runIf(has('go', 'version'))('Go: net/http', { timeout: 2 * MINUTES }, async () => {
    const program = path.join(folder, 'go-client')
    const built = spawnSync('go', ['build', '-o', program, path.join(PROGRAMS, 'go', 'main.go')], {
      encoding: 'utf8',
      env: { ...process.env, GO111MODULE: 'off', CGO_ENABLED: '0' },
    })
    expect(built.stderr).toBe('')
    expect(await exec(program)).toMatchObject({ code: 0, stdout: 'alice\n', stderr: '' })
  })

  test.runIf(has('ruby', '--version'))('Ruby: Net::HTTP and open-uri', { timeout: MINUTES }, async () => {
    const { code, stdout, stderr } = await exec('ruby', path.join(PROGRAMS, 'ruby.rb'))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(new Set(Object.values(JSON.parse(stdout)))).toEqual(new Set(['alice']))
  })

  test.runIf(has('php', '--version'))('PHP: curl and streams', { timeout: MINUTES }, async () => {
    const { code, stdout, stderr } = await exec('php', path.join(PROGRAMS, 'php.php'))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(new Set(Object.values(JSON.parse(stdout)))).toEqual(new Set(['alice']))
  })

  test.runIf(has('java', '-version'))('Java: HttpClient and HttpURLConnection', { timeout: 2 * MINUTES }, async () => {
    const { code, stdout, stderr } = await exec('java', path.join(PROGRAMS, 'java', 'Clients.java'))
    expect(code, stderr).toBe(0)
    expect(stdout).toBe('200 200\n')
  })

  test.runIf(has('wget', '--version'))('wget', async () => {
    const script =
      'wget -q -O - --header "Authorization: Bearer $BEARER_TOKEN" https://api.x.com/2/users/by/username/alice'
    expect(await exec('sh', '-c', script)).toMatchObject({ code: 0, stdout: expect.stringContaining('"alice"') })
  })

  test.runIf(has('cargo', '--version'))('Rust: reqwest', { timeout: 5 * MINUTES }, async (context) => {
    const project = path.join(folder, 'rust')
    cpSync(path.join(PROGRAMS, 'rust'), project, { recursive: true })
    const built = spawnSync('cargo', ['build', '--quiet'], {
      cwd: project,
      encoding: 'utf8',
      timeout: 2.5 * MINUTES,
      env: { ...process.env, CARGO_PROFILE_DEV_DEBUG: '0' },
    })
    if (built.status !== 0) {
      process.stderr.write(`\n!! reqwest COULD NOT BE BUILT: ITS TEST IS SKIPPED.\n${built.stderr.slice(-500)}\n\n`)
      context.skip()
    }
    expect(await exec(path.join(project, 'target/debug/clients'))).toMatchObject({ code: 0, stdout: '200\n' })
  })

  const canIsolate = has('unshare', '--user', '--map-root-user', '--mount', '--net', 'true') && process.getuid?.() === 0
  test.runIf(canIsolate)(
    'an ordinary user isolates a program, which ends with the wrapper',
    { timeout: 2 * MINUTES },
    async () => {
      const script =
        'env -i curl -sS -o /dev/null -w "%{http_code} " https://api.x.com/2/users/me; id -u; echo $$; exec sleep 60'
      const child = spawnRostra(['exec', '--fresh', '--isolate', '--', 'sh', '-c', script], {
        uid: NOBODY,
        env: { ROSTRA_WORKERS: '1', HOME: '/nonexistent' },
      })
      let log = ''
      child.stderr.on('data', (part: Buffer) => {
        log += part
      })
      const written = await new Promise<string>((resolve, reject) => {
        let text = ''
        child.stdout.on('data', (part: Buffer) => {
          text += part
          if (text.split('\n').length > 2) resolve(text)
        })
        child.once('close', () => reject(new Error(log)))
      })
      expect(written.split('\n').slice(0, 1)).toEqual([`401 ${NOBODY}`])
      const pid = Number(written.split('\n')[1])
      child.kill('SIGKILL')
      await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
    },
  )

  const chromium = isWanted ? findChromium() : undefined
  test.runIf(chromium)('Chromium signs in at the platform’s own address', { timeout: 2 * MINUTES }, async () => {
    const [app] = server.credentials.apps
    const user = server.credentials.users[0]!
    const words = [chromium!, user.username, user.password, app!.callback_urls[0]!]
    const { code, stdout, stderr } = await exec('node', path.join(PROGRAMS, 'chromium.mjs'), ...words)
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('code=')
  })
})

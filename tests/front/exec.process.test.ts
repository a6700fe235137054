import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ChildServer,
  type Finished,
  finish,
  removeFolder,
  rostraJson,
  spawnRostra,
  startChildServer,
  temporaryFolder,
} from '../support/child-server.ts'
import { makePng } from '../support/make-media.ts'
import { processesOn } from '../support/processes.ts'

// Below the ports that systems give to outgoing calls.
const NAMES_PORT = 20_000 + Math.floor(Math.random() * 12_000)
/** Larger than any process id of Linux. */
const NO_PROCESS = 5_000_000
let server: ChildServer
let folder: string
beforeAll(async () => {
  folder = temporaryFolder()
  server = await startChildServer({
    dataDir: path.join(folder, 'data'),
    flags: ['--workers', '1', '--names-port', String(NAMES_PORT)],
  })
})
afterAll(async () => {
  await server.stop()
  removeFolder(folder)
})

/** Starts `rostra exec` on the data folder of the running server. */
const start = (...words: string[]) => spawnRostra(['exec', '--data-dir', server.dataDir, '--', ...words])
const exec = (...words: string[]): Promise<Finished> => finish(start(...words))
const shell = (script: string) => exec('sh', '-c', script)

/** Waits until a program has printed a line, and returns it. */
const firstLine = (child: ReturnType<typeof start>): Promise<string> =>
  new Promise((resolve) => {
    let text = ''
    child.stdout.on('data', (part: Buffer) => {
      text += part
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
  })

const isRunning = (pid: number): boolean => {
  try {
    // A process that nobody has waited for yet is not running any more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe.runIf(process.platform === 'linux')('rostra exec', () => {
  test('leads Node programs to the server, unmodified', async () => {
    const picture = makePng().toString('base64')
    const { code, stdout, stderr } = await exec('node', path.join(import.meta.dirname, 'node-clients.mjs'), picture)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      https: 200,
      ownAuthorities: 200,
      otherDomain: 200,
      fetch: 200,
      plainHttp: 200,
      worker: 401,
      undici: 200,
      axios: 'alice',
      me: 'alice',
      posted: true,
      streamed: 'A kingfisher at the weir',
    })
  })

  test('leads curl to the server by the proxy, with and without TLS', async () => {
    const { code, stdout } = await shell(
      'for a in https://api.x.com https://api.twitter.com http://api.x.com; do curl -sS -o /dev/null -w "%{http_code} " $a/2/users/by/username/alice -H "Authorization: Bearer $BEARER_TOKEN"; done',
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: '200 200 200 ' })
  })

  test('gives the program credentials under many names, and keeps a plain name that is set', async () => {
    const child = spawnRostra(['exec', '--data-dir', server.dataDir, '--', 'env'], {
      env: { CLIENT_ID: 'of another service' },
    })
    const { stdout } = await finish(child)
    const set = Object.fromEntries(stdout.split('\n').map((line) => line.split(/=(.*)/s) as [string, string]))
    const [app] = server.credentials.apps
    expect(set).toMatchObject({
      ROSTRA_URL: server.baseUrl,
      ROSTRA_API_KEY: app!.api_key,
      X_API_KEY_SECRET: app!.api_key_secret,
      BEARER_TOKEN: app!.bearer_token,
      TWITTER_ACCESS_TOKEN: server.credentials.users[0]!.access_token,
      CLIENT_ID: 'of another service',
      ROSTRA_DATA_DIR: server.dataDir,
    })
    expect(set.ROSTRA_OWNER_FD).toBeUndefined()
  })

  test.each([
    ['of the command', ['sh', '-c', 'exit 7'], 7],
    ['of a command that is not there', ['no-such-command'], 127],
    ['of a file that cannot be executed', [import.meta.filename], 126],
  ])('ends with the code %s', async (_what, words, code) => {
    expect((await exec(...words)).code).toBe(code)
  })

  test('starts no server for a command that cannot be run', async () => {
    const unused = path.join(folder, 'unused')
    const { code, stderr } = await finish(spawnRostra(['exec', '--data-dir', unused, '--', 'no-such-command']))
    expect([code, stderr]).toEqual([127, 'rostra exec: no-such-command: command not found\n'])
    expect(existsSync(unused)).toBe(false)
  })

  test('runs a script without a first line for its interpreter', async () => {
    const script = path.join(folder, 'script')
    writeFileSync(script, 'echo ran; exit 3\n', { mode: 0o755 })
    expect(await exec(script)).toMatchObject({ code: 3, stdout: 'ran\n' })
  })

  test('ends by the signal that ended the command', () => {
    const program = path.resolve(import.meta.dirname, '../../bin/rostra.js')
    const args = [program, 'exec', '--data-dir', server.dataDir, '--', 'sh', '-c', 'kill -SEGV $$']
    expect(spawnSync(process.execPath, args).signal).toBe('SIGSEGV')
  })

  test('says so when nothing reached the server, and does not fail', async () => {
    const { code, stderr } = await exec('true')
    expect(code).toBe(0)
    expect(stderr).toContain('Nothing reached the server while the command ran.')
  })

  test('names the likely reason when the certificate was not trusted', async () => {
    const { code, stderr } = await shell(
      'SSL_CERT_FILE= CURL_CA_BUNDLE= curl -s --cacert /etc/ssl/certs/ca-certificates.crt https://api.x.com/2/users/me; true',
    )
    expect(code).toBe(0)
    expect(stderr).toMatch(/connected to api\.x\.com \(.*\), but did not trust the certificate/)
  })

  test('is silent when the program used the base address', async () => {
    expect(await shell('curl -s -o /dev/null $ROSTRA_URL/2/users/me')).toMatchObject({ code: 0, stderr: '' })
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('passes %s on and waits for the command', async (signal) => {
    const name = signal.slice(3)
    const child = start('sh', '-c', `trap 'echo cleaned; exit 3' ${name}; echo ready; while :; do sleep 0.05; done`)
    const ended = finish(child)
    await firstLine(child)
    child.kill(signal)
    expect(await ended).toMatchObject({ code: 3, stdout: 'ready\ncleaned\n' })
  })

  test('takes the command with it when it is killed, and leaves a server that others started', async () => {
    const child = start('sh', '-c', 'echo $$; exec sleep 60')
    const pid = Number(await firstLine(child))
    child.kill('SIGKILL')
    await expect.poll(() => isRunning(pid)).toBe(false)
    expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200)
  })

  // Containers and some systems do not allow it.
  const canIsolate = spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'true']).status === 0
  test.runIf(canIsolate)('with --isolate leads programs that take no variable to the server', async () => {
    const bare = 'env -i curl -sS -o /dev/null -w "%{http_code} " https://api.x.com/2/users/me; exit 5'
    const child = spawnRostra(['exec', '--data-dir', server.dataDir, '--isolate', '--', 'sh', '-c', bare])
    expect(await finish(child)).toMatchObject({ code: 5, stdout: '401 ' })
    expect(readFileSync('/etc/hosts', 'utf8')).not.toContain('127.77.')
  })

  test('leaves no file behind, and removes those of killed runs', async () => {
    mkdirSync(path.join(tmpdir(), `rostra-exec-${NO_PROCESS}-left`), { recursive: true })
    await exec('true')
    const left = readdirSync(tmpdir()).filter((name) => /^rostra-exec-(\d+)-/.test(name))
    expect(left.filter((name) => !isRunning(Number(name.split('-')[2])))).toEqual([])
  })

  test('refuses a command line that it cannot follow', async () => {
    expect(await finish(spawnRostra(['exec']))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('two dashes'),
    })
    const again = await finish(spawnRostra(['exec', '--data-dir', server.dataDir, '--world', 'empty', '--', 'true']))
    expect(again).toMatchObject({ code: 125, stderr: expect.stringContaining('Use --fresh') })
  })

  test('with --fresh starts a server of its own, which ends when the wrapper is killed', async () => {
    const child = spawnRostra(
      ['exec', '--fresh', '--world', 'empty', '--', 'sh', '-c', 'echo $ROSTRA_DATA_DIR; exec sleep 60'],
      {
        // The program's own: a server that took it would not start here.
        env: { ROSTRA_WORKERS: '1', DATABASE_URL: 'mysql://127.0.0.1/program', PORT: 'mine' },
      },
    )
    const dataDir = await firstLine(child)
    expect(processesOn(dataDir).length).toBeGreaterThan(1)
    child.kill('SIGKILL')
    await expect.poll(() => processesOn(dataDir)).toEqual([])
    removeFolder(path.dirname(dataDir))
  })
})

describe('a server with --names-port', () => {
  const ca = () => readFileSync(path.join(server.dataDir, 'authority', 'authority.pem'), 'utf8')
  const ask = (headers: Record<string, string>) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const where = { host: '127.0.0.1', port: NAMES_PORT, servername: 'api.x.com', ca: ca(), agent: false as const }
      https
        .get({ ...where, path: '/2/users/by/username/alice', headers: { host: 'api.x.com', ...headers } }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => {
            text += part
          })
          answer.on('end', () => resolve({ status: answer.statusCode!, text }))
        })
        .on('error', reject)
    })

  test('serves the platform’s names over TLS', async () => {
    const authorization = `Bearer ${server.credentials.apps[0]!.bearer_token}`
    expect(await ask({ authorization })).toMatchObject({ status: 200, text: expect.stringContaining('alice') })
    // The address in a refusal is that of TLS.
    expect((await ask({})).text).toMatch(/"type":"(about:blank|https:)/)
  })

  test('is what rostra hosts and rostra env describe', async () => {
    const hosts = await rostraJson(['hosts', '--data-dir', server.dataDir])
    expect(hosts).toMatchObject({ names_port: NAMES_PORT, names: expect.arrayContaining(['api.x.com', 't.co']) })
    const variables = await rostraJson(['env', '--data-dir', server.dataDir])
    expect(variables).toMatchObject({
      ROSTRA_URL: server.baseUrl,
      SSL_CERT_FILE: path.join(server.dataDir, 'trust/bundle.pem'),
    })
    expect(readFileSync(variables.SSL_CERT_FILE, 'utf8')).toContain(ca().trim())
  })

  test('gives a shell its variables, without replacing a plain name that is set', async () => {
    const program = path.resolve(import.meta.dirname, '../../bin/rostra.js')
    const script = `eval "$('${process.execPath}' '${program}' env --data-dir '${server.dataDir}')"; echo "$X_API_KEY $CLIENT_ID $BEARER_TOKEN"`
    const { stdout } = spawnSync('sh', ['-c', script], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, CLIENT_ID: 'mine' },
    })
    const [app] = server.credentials.apps
    expect(stdout).toBe(`${app!.api_key} mine ${app!.bearer_token}\n`)
  })
})

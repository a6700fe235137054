import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'

const READY_WITHIN_MS = 60_000

/** The nats-server of this machine; undefined, with a warning, when there is none. */
export function findNatsServer(): string | undefined {
  const folders = ['/usr/sbin', '/usr/bin', ...(process.env.PATH ?? '').split(path.delimiter)]
  for (const folder of folders) {
    const file = path.join(folder, 'nats-server')
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Not here.
    }
  }
  const line = '!'.repeat(78)
  process.stderr.write(
    `\n${line}\n!! NO nats-server FOUND (on Debian: apt-get install nats-server).\n` +
      `!! THE TESTS WITH NATS ARE SKIPPED: nobody has checked events between machines by NATS.\n${line}\n\n`,
  )
  return undefined
}

/** A nats-server for one test that can be killed and started again at the same address. */
export interface NatsServer {
  /** With its user name and password. */
  url: string
  kill(): Promise<void>
  start(): Promise<void>
  /** Ends it for good. */
  remove(): Promise<void>
}

export const NATS_PASSWORD = 'the-secret-of-nats'

/** Prepares a nats-server on a free port; `start` starts it. */
export async function prepareNats(program: string, options: { maxPayload?: number } = {}): Promise<NatsServer> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rostra-nats-'))
  const file = path.join(folder, 'nats.conf')
  const port = await freePort()
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"
max_payload: ${options.maxPayload ?? 1_048_576}
authorization { user: "rostra", password: "${NATS_PASSWORD}" }
`,
  )
  let child: ChildProcess | undefined
  const kill = async () => {
    const ending = child
    child = undefined
    if (!ending) return
    const gone = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill('SIGKILL')
    await gone
  }
  return {
    url: `nats://rostra:${NATS_PASSWORD}@127.0.0.1:${port}`,
    kill,
    start: async () => {
      const started = spawn(program, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
      child = started
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('nats-server was not ready in time')), READY_WITHIN_MS)
        let said = ''
        started.stderr?.on('data', (text) => {
          said += text
          if (!said.includes('Server is ready')) return
          clearTimeout(late)
          resolve()
        })
        started.once('exit', (code) => reject(new Error(`nats-server ended with ${code}: ${said}`)))
      })
    },
    remove: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as net.AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

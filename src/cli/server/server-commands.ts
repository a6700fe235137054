import { setTimeout as pause } from 'node:timers/promises'
import { runningInstance } from '../../start/instance-lock.ts'
import { coloured } from '../colour.ts'
import { type Call, type CliCommand, UsageError } from '../command-line.ts'
import { readTime } from '../quantity.ts'
import { pairs, table } from '../words.ts'
import { knownInstances } from './known-instances.ts'
import { lookAtServer, NOT_IN_TIME, NOT_RUNNING } from './state.ts'

const POLL_MS = 100
const WAIT_MS = 30_000
const STOP_MS = 130_000

export const serverCliCommands: CliCommand[] = [
  {
    name: 'status',
    summary: 'Shows whether the server of the data folder runs, and the instances known on this machine.',
    flags: {},
    run: async (call) => {
      const { dataDir } = call.settings
      const { state, instance } = await lookAtServer(dataDir)
      const known = await Promise.all(
        knownInstances().map(async (item) => {
          const running = await runningInstance(item.data_dir)
          const base_url = running?.base_url ?? item.base_url
          return { data_dir: item.data_dir, base_url, pid: running?.pid ?? null, started_at: item.started_at }
        }),
      )
      const here = { state, data_dir: dataDir, base_url: instance?.base_url ?? null, pid: instance?.pid ?? null }
      process.exitCode = state === 'running' ? 0 : state === 'stopped' ? NOT_RUNNING : NOT_IN_TIME
      call.print({ ...here, known }, () => {
        const shown = Object.fromEntries(Object.entries(here).filter(([, value]) => value !== null))
        const first = pairs({ ...shown, state: coloured(state === 'running' ? 'green' : 'yellow', state) })
        if (known.length === 0) return first
        const rows = known.map((item) => ({ ...item, state: item.pid === null ? 'stopped' : `process ${item.pid}` }))
        return [first, '', 'Known instances:', table(rows, ['data_dir', 'base_url', 'state', 'started_at'])].join('\n')
      })
    },
  },
  {
    name: 'wait',
    summary: 'Waits until the server of the data folder takes requests.',
    flags: {
      timeout: { value: '<time>', help: 'how long, such as 30s (default), 500ms or 2m; then the exit code is 4' },
    },
    run: async (call) => {
      const { dataDir } = call.settings
      const timeoutMs = timeoutOf(call) ?? WAIT_MS
      const begun = performance.now()
      for (;;) {
        const { state, instance } = await lookAtServer(dataDir)
        if (state === 'running') {
          const facts = { ready: true, base_url: instance!.base_url, pid: instance!.pid }
          return call.print(facts, () => `The server on ${dataDir} takes requests at ${facts.base_url}.`)
        }
        if (performance.now() - begun >= timeoutMs) {
          process.exitCode = NOT_IN_TIME
          console.error(`The server on ${dataDir} does not take requests after ${timeoutMs / 1_000} s: it is ${state}.`)
          return
        }
        await pause(POLL_MS)
      }
    },
  },
  {
    name: 'stop',
    summary: 'Stops the server of the data folder, and waits until it has ended.',
    flags: { timeout: { value: '<time>', help: 'how long to wait, default 130s; then the exit code is 4' } },
    run: async (call) => {
      const { dataDir } = call.settings
      const timeoutMs = timeoutOf(call) ?? STOP_MS
      const instance = await runningInstance(dataDir)
      if (!instance)
        return call.print({ stopped: false, data_dir: dataDir }, () => `No server is running on ${dataDir}.`)
      endProcess(instance.pid)
      const begun = performance.now()
      while ((await runningInstance(dataDir))?.pid === instance.pid) {
        if (performance.now() - begun >= timeoutMs) {
          process.exitCode = NOT_IN_TIME
          console.error(`Process ${instance.pid} on ${dataDir} has not ended after ${timeoutMs / 1_000} s.`)
          return
        }
        await pause(POLL_MS)
      }
      call.print({ stopped: true, data_dir: dataDir, pid: instance.pid }, () => `The server on ${dataDir} has stopped.`)
    },
  },
]

/** `30` means seconds, as for other programs with a timeout. */
const timeoutOf = ({ flags: { timeout } }: Call): number | undefined =>
  readTime(/^\d+$/.test(String(timeout)) ? `${timeout}s` : timeout, 'timeout')

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EPERM')
      throw new UsageError(`Process ${pid} belongs to another user, and cannot be stopped by this one.`)
    // It has ended meanwhile.
    if (code !== 'ESRCH') throw error
  }
}

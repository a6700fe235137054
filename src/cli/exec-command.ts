import { readFileSync } from 'node:fs'
import { openAuthority } from '../front/authority.ts'
import { credentialVariables, type EnvironmentFacts } from '../front/environment.ts'
import { explainArrivals } from '../front/explain-arrivals.ts'
import { NOT_FOUND } from '../front/find-program.ts'
import { startFront } from '../front/front.ts'
import { ServerFailed } from '../front/owned-server.ts'
import { startProxy } from '../front/proxy.ts'
import { makeRunFolders } from '../front/run-folders.ts'
import { endAs, isInForeground, type ProgramEnd, type RunningProgram, startProgram } from '../front/run-program.ts'
import { writeWays } from '../front/ways-in.ts'
import { outerEnvironment } from '../settings.ts'
import { type Call, type CliCommand, UsageError } from './command-line.ts'
import { execServer } from './exec-server.ts'

/** The exit code when not the program failed but what it needs, as `timeout` and `docker run` have it. */
const OWN_FAILURE = 125

export const execCommand: CliCommand = {
  name: 'exec',
  summary: 'Runs a program, unmodified, with the platform’s addresses leading to a server on this machine.',
  positionals: '-- <command> [argument ...]',
  flags: {
    fresh: { help: 'on a new world in a temporary folder, which is removed afterwards' },
    keep: { help: 'with --fresh: keep the folder, and say where it is' },
    world: { value: '<file>', help: 'what a new database gets; as for `rostra start`' },
  },
  run: async (call) => {
    if (call.positionals.length === 0)
      throw new UsageError('Name the command to run after two dashes: rostra exec -- pytest')
    if (call.flags.keep && !call.flags.fresh) throw new UsageError('--keep goes with --fresh.')
    const stopping = new AbortController()
    const signals = listenForSignals(stopping)
    const work = new Cleanup()
    let end: ProgramEnd
    try {
      end = await execute(call, work, stopping.signal, signals)
    } catch (error) {
      const isExpected = error instanceof ServerFailed || error instanceof UsageError
      if (signals.last === undefined) console.error('rostra exec:', isExpected ? error.message : error)
      end = { code: OWN_FAILURE, signal: signals.last ?? null }
    }
    await work.run()
    endAs(end)
  },
}

/** What has to be undone, in reverse order. */
class Cleanup {
  readonly #steps: (() => unknown)[] = []

  add(step: () => unknown): void {
    this.#steps.push(step)
  }

  async run(): Promise<void> {
    for (const step of this.#steps.reverse()) {
      try {
        await step()
      } catch (error) {
        console.error(`rostra exec: ${(error as Error).message}`)
      }
    }
  }
}

/** Signals that this process gets, for the program once it runs. */
interface Signals {
  last: NodeJS.Signals | undefined
  program: RunningProgram | undefined
}

const PASSED_ON: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH']
const FROM_TERMINAL = new Set<NodeJS.Signals>(['SIGINT', 'SIGQUIT', 'SIGWINCH', 'SIGHUP'])
const HARMLESS = new Set<NodeJS.Signals>(['SIGUSR1', 'SIGUSR2', 'SIGWINCH'])

function listenForSignals(stopping: AbortController): Signals {
  const signals: Signals = { last: undefined, program: undefined }
  for (const name of process.platform === 'win32' ? PASSED_ON.slice(0, 3) : PASSED_ON)
    process.on(name, () => {
      if (signals.program) {
        if (!(FROM_TERMINAL.has(name) && isInForeground())) signals.program.child.kill(name)
        return
      }
      if (HARMLESS.has(name)) return
      signals.last = name
      stopping.abort()
    })
  return signals
}

async function execute(call: Call, work: Cleanup, stopping: AbortSignal, signals: Signals): Promise<ProgramEnd> {
  const environment = outerEnvironment()
  const keepsData = call.flags.keep === true
  const isFresh = call.flags.fresh === true
  const isTemporary = isFresh && !keepsData
  const folders = await makeRunFolders({ hasData: isFresh, keepsData })
  work.add(() => folders.remove())
  const settings = { ...call.settings, dataDir: folders.dataDir ?? call.settings.dataDir }
  const world = call.flags.world as string | undefined
  const server = await execServer({ settings, world, isTemporary, environment, stopping })
  work.add(() => server.stop())
  void server.failed.then((lines) => console.error(`rostra exec: the server ended.\n${lines}`))
  const authority = openAuthority(settings.dataDir)
  const front = await startFront(authority, server.target)
  work.add(() => front.close())
  const proxy = await startProxy(front, environment)
  work.add(() => proxy.close())
  const ports = { tls: front.tlsPort, plain: front.plainPort, proxy: proxy.port }
  const ways = writeWays(folders.files, authority, ports, environment)
  const facts = JSON.parse(readFileSync(server.credentialsFile, 'utf8')) as EnvironmentFacts
  const { named, plain } = credentialVariables(facts, settings.dataDir)
  const newestBefore = await server.newestRequest()
  if (stopping.aborted) throw new ServerFailed('stopped before the command began')
  const program = startProgram(call.positionals, { ...plain, ...environment, ...named, ...ways.variables })
  if (typeof program === 'number') {
    const why = program === NOT_FOUND ? 'command not found' : 'cannot be executed'
    console.error(`rostra exec: ${call.positionals[0]}: ${why}`)
    return { code: program, signal: null }
  }
  signals.program = program
  const end = await program.ended
  const hasDirectRequests = (await server.newestRequest()) !== newestBefore
  const said = explainArrivals(front.arrivals, hasDirectRequests)
  if (said) console.error(`rostra exec: ${said}`)
  if (keepsData) console.error(`rostra exec: the data is kept in ${settings.dataDir}`)
  return end
}

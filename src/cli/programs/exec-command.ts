import { readFileSync } from 'node:fs'
import { openAuthority } from '../../front/authority.ts'
import { credentialVariables } from '../../front/environment.ts'
import { explainArrivals } from '../../front/explain-arrivals.ts'
import { findProgram, NOT_FOUND } from '../../front/find-program.ts'
import { startFront } from '../../front/front.ts'
import { CannotIsolate, type Isolation, isolate } from '../../front/isolate.ts'
import { ServerFailed } from '../../front/owned-server.ts'
import { passSignalsOn } from '../../front/pass-signals.ts'
import { startProxy } from '../../front/proxy.ts'
import { makeRunFolders } from '../../front/run-folders.ts'
import { endAs, type ProgramEnd, type RunningProgram, startProgram } from '../../front/run-program.ts'
import { writeWays } from '../../front/ways-in.ts'
import type { Credentials } from '../../process/credentials.ts'
import { outerEnvironment } from '../../settings.ts'
import { type Call, type CliCommand, UsageError } from '../command-line.ts'
import { execServer, OF_THE_PROGRAM } from './exec-server.ts'

/** The exit code when not the program failed but what it needs, as `timeout` and `docker run` have it. */
const OWN_FAILURE = 125

export const execCommand: CliCommand = {
  name: 'exec',
  summary: 'Runs a program, unmodified, with the platform’s addresses leading to a server on this machine.',
  positionals: '-- <command> [argument ...]',
  hasNoResult: true,
  foreignVariables: OF_THE_PROGRAM,
  flags: {
    fresh: { help: 'on a new world in a temporary folder, which is removed afterwards' },
    keep: { help: 'with --fresh: keep the folder, and say where it is' },
    isolate: {
      help: 'also in a private namespace with its own hosts file (Linux), for programs that take no proxy and no variables',
    },
    world: { value: '<file>', help: 'what a new database gets; as for `rostra start`' },
  },
  run: async (call) => {
    if (call.positionals.length === 0)
      throw new UsageError('Name the command to run after two dashes: rostra exec -- pytest')
    if (call.flags.keep && !call.flags.fresh) throw new UsageError('--keep goes with --fresh.')
    const stopping = new AbortController()
    const signals: Signals = { early: undefined, program: undefined }
    passSignalsOn(
      () => signals.program,
      (name) => {
        signals.early = name
        stopping.abort()
      },
    )
    const work = new Cleanup()
    let end: ProgramEnd
    try {
      end = await execute(call, work, stopping.signal, signals)
    } catch (error) {
      const isExpected = [ServerFailed, UsageError, CannotIsolate].some((kind) => error instanceof kind)
      if (signals.early === undefined) console.error('rostra exec:', isExpected ? (error as Error).message : error)
      end = { code: OWN_FAILURE, signal: signals.early ?? null }
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

/** What signals need to know. */
interface Signals {
  early: NodeJS.Signals | undefined
  program: RunningProgram | undefined
}

async function execute(call: Call, work: Cleanup, stopping: AbortSignal, signals: Signals): Promise<ProgramEnd> {
  const environment = outerEnvironment()
  // Before a server is started, which takes seconds.
  const found = findProgram(call.positionals[0]!, environment)
  if (typeof found === 'number') return cannotRun(call, found)
  const keepsData = call.flags.keep === true
  const isFresh = call.flags.fresh === true
  const isTemporary = isFresh && !keepsData
  const folders = await makeRunFolders({ hasData: isFresh, keepsData })
  work.add(() => folders.remove())
  const settings = { ...call.settings, dataDir: folders.dataDir ?? call.settings.dataDir }
  const world = call.flags.world as string | undefined
  const settingFlags = ['database-url', 'secret-key'].flatMap((name) => {
    const value = call.flags[name]
    return typeof value === 'string' ? [`--${name}=${value}`] : []
  })
  const server = await execServer({ settings, world, settingFlags, isTemporary, environment, stopping })
  work.add(() => server.stop())
  void server.failed.then((lines) => console.error(`rostra exec: the server ended.\n${lines}`))
  const authority = openAuthority(settings.dataDir)
  const front = await startFront(authority, server.target)
  work.add(() => front.close())
  const proxy = await startProxy(front, environment)
  work.add(() => proxy.close())
  const ports = { tls: front.tlsPort, plain: front.plainPort, proxy: proxy.port }
  const ways = writeWays(folders.files, authority, ports, environment)
  const facts = JSON.parse(readFileSync(server.credentialsFile, 'utf8')) as Credentials
  const { named, plain } = credentialVariables(facts, settings.dataDir)
  const newestBefore = await server.newestRequest()
  if (stopping.aborted) throw new ServerFailed('stopped before the command began')
  const isolation = call.flags.isolate
    ? await isolate({
        front,
        proxy,
        trust: ways.trust,
        folder: folders.files,
        serverPort: server.target.port,
        environment,
      })
    : undefined
  if (isolation?.note) console.error(`rostra exec: ${isolation.note}`)
  const inside = { ...plain, ...environment, ...named, ...ways.variables }
  const program = startWrapped(call.positionals, inside, isolation)
  if (typeof program === 'number') return cannotRun(call, program)
  signals.program = program
  const end = await program.ended
  const hasDirectRequests = (await server.newestRequest()) !== newestBefore
  const said = explainArrivals(front.arrivals, hasDirectRequests)
  if (said) console.error(`rostra exec: ${said}`)
  if (keepsData) console.error(`rostra exec: the data is kept in ${settings.dataDir}`)
  return end
}

function cannotRun({ positionals }: Call, code: number): ProgramEnd {
  const why = code === NOT_FOUND ? 'command not found' : 'cannot be executed'
  console.error(`rostra exec: ${positionals[0]}: ${why}`)
  return { code, signal: null }
}

/** Starts the program, or says with an exit code why it cannot be run. */
function startWrapped(
  words: string[],
  environment: NodeJS.ProcessEnv,
  isolation: Isolation | undefined,
): RunningProgram | number {
  if (!isolation) return startProgram(words, environment)
  const found = findProgram(words[0]!, environment)
  return typeof found === 'number' ? found : startProgram(isolation.wrap([found, ...words.slice(1)]), environment)
}

import { beforeAll, describe, expect, test, vi } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { buildProgram, type Finished, runRostra } from '../support/child-server.ts'

beforeAll(buildProgram)

/** The command line in this process: a child takes most of a second, and there are many words to try. */
async function call(args: string[]): Promise<Finished> {
  const finished: Finished = { code: 0, stdout: '', stderr: '' }
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((text) => {
      finished.stdout += `${text}\n`
    }),
    vi.spyOn(console, 'error').mockImplementation((text) => {
      finished.stderr += `${text}\n`
    }),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      finished.code = Number(code)
      return undefined as never
    }),
  ]
  try {
    await main(args)
    return finished
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

const EVERYWHERE = ['--data-dir', '--database-url', '--secret-key', '--json']
const COMMANDS: Record<string, string[]> = {
  reset: ['--yes'],
  seed: ['--seed', '--users', '--posts', '--follows', '--until', '--progress'],
  'app create': ['--name', '--owner', '--tier', '--permissions', '--type', '--callback', '--naming'],
  'app list': [],
  'app rotate': [],
  'app update': ['--tier', '--permissions', '--type', '--callback', '--naming', '--suspended'],
  'user create': ['--username', '--name', '--password', '--email', '--protected', '--verified', '--subscription'],
  'user list': ['--after', '--limit'],
  'user token': ['--app', '--level'],
  'user update': [
    ...['--username', '--name', '--description', '--location', '--url', '--picture', '--banner', '--affiliation'],
    ...['--affiliation-badge', '--password', '--protected', '--suspended', '--verified', '--subscription'],
  ],
  log: ['--follow', '--app', '--refused', '--limit'],
  doctor: ['--port', '--host'],
}
const SETTINGS = [
  ...['--port', '--host', '--data-dir', '--public-url', '--database-url', '--workers', '--database-connections'],
  ...['--rate-limits', '--cache-mb', '--request-record', '--private-webhooks', '--trust-proxy', '--secret-key'],
  ...['--log-level', '--world', '--json'],
]

const flagsIn = (help: string) => [...new Set(help.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [])].sort()

describe('help', () => {
  test('the program alone, help, -h and --help list every command', async () => {
    const answers = [await runRostra([]), await call(['help']), await call(['-h']), await call(['--help'])]
    for (const answer of answers) {
      expect(answer).toMatchObject({ code: 0, stderr: '' })
      for (const name of ['start', ...Object.keys(COMMANDS)])
        expect(answer.stdout).toMatch(new RegExp(`^  ${name} {2,}\\S`, 'm'))
    }
    expect(new Set(answers.map((answer) => answer.stdout)).size).toBe(1)
  })

  test('start --help lists every setting with its environment name', async () => {
    const { code, stdout } = await runRostra(['start', '--help'])
    expect(code).toBe(0)
    for (const flag of SETTINGS) expect(stdout).toMatch(new RegExp(`^  ${flag}( |$)`, 'm'))
    for (const name of ['ROSTRA_PORT', 'ROSTRA_DATA_DIR', 'DATABASE_URL', 'ROSTRA_WORKERS', 'ROSTRA_RATE_LIMITS'])
      expect(stdout).toContain(name)
  })

  test.each(Object.entries(COMMANDS))('%s --help lists exactly its flags', async (name, flags) => {
    const { code, stdout, stderr } = await call([...name.split(' '), '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.startsWith(`rostra ${name}`)).toBe(true)
    // The sentence on where the data is names `rostra start --help`.
    expect(flagsIn(stdout)).toEqual([...new Set([...flags, ...EVERYWHERE, '--help'])].sort())
  })

  test('a group alone shows the help of its commands', async () => {
    const { code, stdout } = await call(['app'])
    expect(code).toBe(0)
    for (const name of ['create', 'list', 'rotate', 'update']) expect(stdout).toContain(`rostra app ${name}`)
  })
})

describe('refusals', () => {
  const refusals: [string, string[], RegExp][] = [
    ['an unknown command', ['sed'], /^There is no command sed\. .*rostra --help/],
    ['an unknown command of a group', ['app', 'destroy'], /app destroy.*--help/],
    ['an unknown flag of a command', ['user', 'list', '--all'], /^Unknown option '--all'\. .*rostra user list --help/],
    ['an unknown flag of start', ['start', '--prot', '80'], /^Unknown option '--prot'\. .*rostra start --help/],
    ['an argument where none belongs', ['app', 'list', 'mine'], /takes no argument mine/],
    ['a flag without its value', ['seed', '--seed'], /--seed/],
    ['a missing flag', ['app', 'create', '--owner', 'alice'], /^--name is missing\.$/],
    ['a missing argument', ['app', 'rotate'], /^Name one app id\.$/],
    ['a reset that was not confirmed', ['reset'], /--yes/],
    ['a port that is no number', ['start', '--port', 'http'], /^--port .* must be a whole number from 0 to 65535\.$/],
    ['no workers', ['start', '--workers', '0'], /^--workers .* must be a whole number from 1 to 256\.$/],
    ['a wrong word', ['start', '--rate-limits', 'maybe'], /^--rate-limits .* must be on or off\.$/],
    ['a short secret key', ['start', '--secret-key', 'abc'], /^--secret-key .*64 hex digits/],
    ['a database address of another kind', ['start', '--database-url', 'mysql://me:pw@h/d'], /must be an address/],
    ['a seed below zero', ['seed', '--seed=-1', '--users', '1', '--posts', '1'], /^--seed .* from 0 to 99999\.$/],
    [
      'more follows than pairs',
      ['seed', '--seed', '1', '--users', '2', '--posts', '1', '--follows', '3'],
      /^--follows/,
    ],
    [
      'a wrong moment',
      ['seed', '--seed', '1', '--users', '2', '--posts', '1', '--until', 'soon'],
      /^--until is "soon"/,
    ],
  ]
  test.each(refusals)('%s is refused with one sentence and exit code 1', async (_name, args, words) => {
    const { code, stdout, stderr } = await call(args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trimEnd()).toMatch(words)
    expect(stderr.trimEnd()).not.toContain('\n')
    expect(stderr).not.toContain('pw@')
  })

  test('the process itself ends with code 1 and writes to standard error only', async () => {
    const [command, flag] = await Promise.all([runRostra(['sed']), runRostra(['user', 'list', '--all'])])
    expect(command).toEqual(await call(['sed']))
    expect(flag).toEqual(await call(['user', 'list', '--all']))
    expect(flag.code).toBe(1)
  })

  test('a setting of the environment is refused by the name of flag and variable', async () => {
    const { code, stderr } = await runRostra(['start'], { env: { ROSTRA_LOG_LEVEL: 'loud' } })
    expect(code).toBe(1)
    expect(stderr.trimEnd()).toBe(
      '--log-level (ROSTRA_LOG_LEVEL) is "loud", but must be fatal or error or warn or info or debug.',
    )
  })
})

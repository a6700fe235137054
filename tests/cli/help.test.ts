import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { triggerTypes } from '../../src/control/triggers/trigger.ts'
import { buildProgram, runRostra } from '../support/child-server.ts'
import { call } from './call-main.ts'

beforeAll(buildProgram)

const EVERYWHERE = ['--data-dir', '--database-url', '--secret-key', '--json']
const COMMANDS: Record<string, string[]> = {
  status: [],
  wait: ['--timeout'],
  stop: ['--timeout'],
  exec: ['--fresh', '--isolate', '--keep', '--world'],
  env: ['--shell', '--dotenv'],
  hosts: ['--address', '--compose'],
  reset: ['--yes'],
  seed: ['--seed', '--users', '--posts', '--follows', '--until', '--progress'],
  'project create': ['--name', '--owner'],
  'project list': [],
  'app create': [
    ...['--name', '--owner', '--project', '--tier', '--permissions', '--type', '--callback', '--sign-in', '--naming'],
    ...['--description', '--website'],
  ],
  'app list': [],
  'app rotate': [],
  'app delete': ['--yes'],
  'app update': [
    ...['--name', '--tier', '--permissions', '--type', '--callback', '--sign-in', '--naming', '--suspended'],
    ...['--description', '--website'],
  ],
  'user create': ['--username', '--name', '--password', '--email', '--protected', '--verified', '--subscription'],
  'user list': ['--query', '--state', '--after', '--limit'],
  'user show': [],
  'post list': ['--user', '--query', '--after', '--limit'],
  'post show': ['--after', '--limit'],
  'post remove': ['--reason'],
  'post sensitive': ['--sensitive', '--reason'],
  'lists list': ['--user', '--query', '--after', '--limit'],
  'lists show': ['--after', '--limit'],
  'space list': ['--user', '--query', '--state', '--after', '--limit'],
  'community list': ['--user', '--query', '--after', '--limit'],
  'message conversations': ['--user', '--after', '--limit'],
  'message list': ['--after', '--limit'],
  'chat conversations': ['--user', '--after', '--limit'],
  'chat list': ['--after', '--limit'],
  'report create': ['--user', '--kind', '--id', '--reason', '--comment'],
  'report list': ['--state', '--kind', '--user', '--reporter', '--after', '--limit'],
  'report resolve': ['--action', '--comment'],
  audit: ['--name', '--outcome', '--actor', '--after', '--limit'],
  'user token': ['--app', '--level', '--oauth2', '--scopes'],
  'user revoke': ['--app'],
  'user update': [
    ...['--username', '--name', '--description', '--location', '--url', '--picture', '--banner', '--affiliation'],
    ...['--affiliation-badge', '--email', '--password', '--protected', '--suspended', '--verified', '--subscription'],
    '--open-messages',
  ],
  'user pin': ['--post'],
  'user apps': ['--after', '--limit'],
  'user sessions': ['--end'],
  'user delete': ['--yes'],
  'invitation create': ['--uses', '--expires', '--note'],
  'invitation list': ['--after', '--limit'],
  'invitation revoke': [],
  'relation add': ['--kind'],
  'relation remove': ['--kind'],
  'follow approve': [],
  'follow refuse': [],
  'bookmark folder': ['--user', '--name'],
  'bookmark file': ['--user', '--folder'],
  'poll vote': ['--user', '--option'],
  'chat member remove': ['--user'],
  'topics work': [],
  'limits clear': [],
  'cache forget': [],
  login: ['--app', '--scopes', '--client-secret', '--no-browser', '--timeout'],
  'message read': ['--user', '--conversation', '--with', '--event'],
  'message typing': ['--user', '--conversation', '--with'],
  'message join': ['--user', '--conversation', '--participant'],
  'message leave': ['--user', '--conversation'],
  'space create': ['--user', '--title', '--at', '--topic', '--host', '--invite', '--lang', '--ticketed'],
  'space update': ['--title', '--at', '--topic'],
  'space start': [],
  'space end': [],
  'space cancel': [],
  'space join': ['--user'],
  'space leave': ['--user'],
  'space invite': ['--user'],
  'space speak': ['--user'],
  'space listen': ['--user'],
  'space subscribe': ['--user'],
  'space unsubscribe': ['--user'],
  'space buy': ['--user'],
  'space share': ['--user', '--post'],
  'notes enrol': ['--top'],
  'notes withdraw': [],
  'notes rate': ['--user', '--helpfulness', '--tag'],
  'notes score': [],
  'notes show': [],
  'views add': ['--kind', '--count', '--viewer', '--at', '--media', '--watched', '--promoted'],
  'community create': ['--user', '--name', '--description', '--join', '--access'],
  'community update': ['--by', '--name', '--description', '--join'],
  'community join': ['--user'],
  'community leave': ['--user'],
  'community invite': ['--user', '--by'],
  'community approve': ['--user', '--by'],
  'community refuse': ['--user', '--by'],
  'community remove': ['--user', '--by'],
  'community role': ['--user', '--by', '--role'],
  'community members': ['--after', '--limit'],
  console: [],
  'log show': ['--curl'],
  log: ['--follow', '--app', '--refused', '--limit'],
  deliveries: ['--follow', '--webhook', '--state', '--limit'],
  'deliveries show': [],
  'deliveries repeat': [],
  webhooks: ['--app', '--after'],
  'webhooks show': [],
  'webhooks challenge': [],
  'webhooks refused': ['--app', '--before'],
  'stream list': ['--app'],
  'stream rules': ['--app'],
  'stream matches': ['--app'],
  state: ['--days'],
  'ads account show': [],
  'ads tree': ['--name', '--after'],
  'ads line-item show': ['--account'],
  'ads stats': ['--campaign', '--line-item', '--by', '--days'],
  'ads partner-key create': [],
  'ads partner-key list': [],
  'ads partner-key delete': ['--id'],
  trigger: ['--user', '--target', '--text', '--post', '--list'],
  doctor: ['--port', '--host'],
  completion: [],
}
const SETTINGS = [
  ...['--port', '--host', '--data-dir', '--public-url', '--database-url', '--workers', '--database-connections'],
  ...['--rate-limits', '--cache-mb', '--request-log', '--private-webhooks', '--trust-proxy', '--secret-key'],
  ...['--dev-sign-in', '--console', '--link-host'],
  '--registration',
  ...['--log-level', '--world', '--detach', '--json'],
]

const flagsIn = (help: string) => [...new Set(help.match(/(?<![\w-])--[a-z][a-z0-9-]*/g) ?? [])].sort()

describe('help', () => {
  test('no arguments, help, -h and --help list every command', async () => {
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
    // The sentence about the data folder names `rostra start --help`. What exec prints is printed by the program that it runs.
    const everywhere = EVERYWHERE.filter((flag) => name !== 'exec' || flag !== '--json')
    expect(flagsIn(stdout)).toEqual([...new Set([...flags, ...everywhere, '--help'])].sort())
  })

  test('--version and -v print the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8'))
    const answers = [await runRostra(['--version']), await call(['--version']), await call(['-v'])]
    for (const answer of answers) expect(answer).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('trigger --list prints every type with what it takes', async () => {
    const { code, stdout } = await call(['trigger', '--list'])
    expect(code).toBe(0)
    const [head, ...lines] = stdout.split('\n\n')[0]!.split('\n')
    expect(head).toMatch(/^event_type +takes +does$/)
    expect(lines).toContainEqual(expect.stringMatching(/^like\.create +--user --target --post +U likes a post by T$/))
    const types = triggerTypes()
    expect(lines.map((line) => line.split(' ')[0])).toEqual(types.map((type) => type.event_type))
    expect(JSON.parse((await call(['trigger', '--list', '--json'])).stdout)).toEqual({ event_types: types })
    expect(await call(['trigger', '--list', 'post.create'])).toMatchObject({ code: 1 })
  })

  test('a group by itself shows the help of its commands', async () => {
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
    ['an argument where none belongs', ['app', 'list', 'mine'], /does not take the argument mine/],
    ['a flag without its value', ['seed', '--seed'], /--seed/],
    ['a missing flag', ['app', 'create', '--owner', 'alice'], /^--name is missing\.$/],
    ['a missing argument', ['app', 'rotate'], /^Name one app id\.$/],
    ['a reset that was not confirmed', ['reset'], /--yes/],
    [
      'a port that is not a number',
      ['start', '--port', 'http'],
      /^--port .* must be a whole number from 0 to 65535\.$/,
    ],
    ['no workers', ['start', '--workers', '0'], /^--workers .* must be a whole number from 1 to 256\.$/],
    ['a wrong word', ['start', '--rate-limits', 'maybe'], /^--rate-limits .* must be on or off\.$/],
    ['a short secret key', ['start', '--secret-key', 'abc'], /^--secret-key .*64 hex digits/],
    ['a database address of another kind', ['start', '--database-url', 'mysql://me:pw@h/d'], /must be an address/],
    [
      'a number that looks like a flag',
      ['seed', '--users', '-1'],
      /^Option '--users.*' argument is ambiguous\. .*--help/,
    ],
    [
      'a limit that is not a number',
      ['user', 'list', '--limit', 'abc'],
      /^--limit is "abc", but must be a whole number\.$/,
    ],
    ['more to sign than a request', ['sign', 'GET', 'http://localhost/2', 'extra'], /^Name the method and the address/],
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

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type CliCommand, commandHelp, readCall, UsageError } from './cli/command-line.ts'
import { callBeforeProduct } from './cli/load-product.ts'
import { nearest } from './cli/nearest.ts'
import { PROGRAM_FOLDER } from './process/program-folder.ts'
import { SettingError } from './settings.ts'
import { StartError } from './start/start-error.ts'

type Load = () => Promise<CliCommand | CliCommand[]>

/**
 * Every file with commands: the first word of its commands, and how to load it. A call loads only the files with its first
 * word, because most files together would take longer than the call. The order is that of the help.
 */
const files: [word: string, load: Load][] = [
  ['start', async () => (await import('./cli/server/start-command.ts')).startCommand],
  ['status', async () => (await import('./cli/server/server-commands.ts')).serverCliCommands],
  ['wait', async () => (await import('./cli/server/server-commands.ts')).serverCliCommands],
  ['stop', async () => (await import('./cli/server/server-commands.ts')).serverCliCommands],
  ['console', async () => (await import('./cli/server/console-command.ts')).consoleCommand],
  ['exec', async () => (await import('./cli/programs/exec-command.ts')).execCommand],
  ['env', async () => (await import('./cli/programs/env-command.ts')).envCommand],
  ['hosts', async () => (await import('./cli/programs/hosts-command.ts')).hostsCommand],
  ['worlds', async () => (await import('./cli/world/worlds-command.ts')).worldsCommand],
  ['reset', async () => (await import('./cli/world/reset-command.ts')).resetCommand],
  ['snapshot', async () => (await import('./cli/world/snapshot-commands.ts')).snapshotCliCommands],
  ['clock', async () => (await import('./cli/world/clock-command.ts')).clockCliCommand],
  ['seed', async () => (await import('./cli/world/seed-command.ts')).seedCommand],
  ['export', async () => (await import('./cli/world/exchange-commands.ts')).exportCommand],
  ['apply', async () => (await import('./cli/world/world-commands.ts')).applyCommand],
  ['import', async () => (await import('./cli/world/exchange-commands.ts')).importCommand],
  ['export-world', async () => (await import('./cli/world/world-commands.ts')).exportWorldCommand],
  ['agents', async () => (await import('./cli/world/agent-commands.ts')).agentsCommand],
  ['live', async () => (await import('./cli/world/live-commands.ts')).liveCommands],
  ['project', async () => (await import('./cli/developers/project-commands.ts')).projectCliCommands],
  ['app', async () => (await import('./cli/developers/app-commands.ts')).appCommands],
  ['user', async () => (await import('./cli/user-commands.ts')).userCommands],
  ['user', async () => (await import('./cli/account-commands.ts')).accountCliCommands],
  ['invitation', async () => (await import('./cli/invitation-commands.ts')).invitationCliCommands],
  ['relation', async () => (await import('./cli/social/relation-commands.ts')).relationCliCommands],
  ['follow', async () => (await import('./cli/social/relation-commands.ts')).followCliCommands],
  ['bookmark', async () => (await import('./cli/social/relation-commands.ts')).bookmarkCliCommands],
  ['poll', async () => (await import('./cli/social/relation-commands.ts')).pollCliCommand],
  ['chat', async () => (await import('./cli/social/relation-commands.ts')).chatCliCommands],
  ['post', async () => (await import('./cli/social/inspect-commands.ts')).postCliCommands],
  ['lists', async () => (await import('./cli/social/inspect-commands.ts')).listCliCommands],
  ['login', async () => (await import('./cli/developers/login-command.ts')).loginCommand],
  ['message', async () => (await import('./cli/social/message-commands.ts')).messageCliCommands],
  ['space', async () => (await import('./cli/social/space-commands.ts')).spaceCliCommands],
  ['message', async () => (await import('./cli/social/inspect-commands.ts')).messageInspectionCliCommands],
  ['chat', async () => (await import('./cli/social/inspect-commands.ts')).chatInspectionCliCommands],
  ['space', async () => (await import('./cli/social/inspect-commands.ts')).spaceListCliCommand],
  ['community', async () => (await import('./cli/social/inspect-commands.ts')).communityListCliCommand],
  ['report', async () => (await import('./cli/moderation-commands.ts')).reportCliCommands],
  ['audit', async () => (await import('./cli/moderation-commands.ts')).auditCliCommand],
  ['notes', async () => (await import('./cli/social/note-commands.ts')).noteCliCommands],
  ['views', async () => (await import('./cli/social/view-commands.ts')).viewCommands],
  ['community', async () => (await import('./cli/social/community-commands.ts')).communityCliCommands],
  ['ads', async () => (await import('./cli/developers/ads-commands.ts')).adsCliCommands],
  ['usage', async () => (await import('./cli/developers/usage-commands.ts')).usageCliCommands],
  ['topics', async () => (await import('./cli/server/upkeep-commands.ts')).topicsCliCommand],
  ['limits', async () => (await import('./cli/server/upkeep-commands.ts')).limitsCliCommand],
  ['cache', async () => (await import('./cli/server/upkeep-commands.ts')).cacheCliCommand],
  ['log', async () => (await import('./cli/log-command.ts')).logCommands],
  ['deliveries', async () => (await import('./cli/deliveries-command.ts')).deliveriesCommands],
  ['webhooks', async () => (await import('./cli/webhook-commands.ts')).webhookCliCommands],
  ['state', async () => (await import('./cli/world/state-command.ts')).stateCliCommand],
  ['fault', async () => (await import('./cli/fault-commands.ts')).faultCliCommands],
  ['stream', async () => (await import('./cli/stream-commands.ts')).streamCliCommands],
  ['trigger', async () => (await import('./cli/trigger-command.ts')).triggerCliCommand],
  ['sign', async () => (await import('./cli/developers/sign-command.ts')).signCommand],
  ['doctor', async () => (await import('./cli/server/doctor-command.ts')).doctorCommand],
  ['completion', async () => (await import('./cli/completion-command.ts')).completionCommand],
]

/**
 * The command line: runs one command and ends the process with a code. In a checkout `beforeProduct` is called before a command
 * loads more than the command line itself, which may have to be built first.
 */
export async function main(argv: string[], beforeProduct?: () => Promise<void>): Promise<void> {
  if (beforeProduct) callBeforeProduct(beforeProduct)
  endWithReader(argv)
  try {
    await dispatch(argv)
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof StartError || error instanceof SettingError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

// They run for others, whoever reads what they print.
const GO_ON = ['start', 'exec', 'worlds']
let isWatched = false

/** Ends a command, without an error, when the reader of what it prints has left early, as `head` does. */
function endWithReader([first]: string[]): void {
  if (isWatched) return
  isWatched = true
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (!GO_ON.includes(first ?? '')) process.exit(0)
  })
}

async function dispatch(argv: string[]): Promise<void> {
  const [first] = argv
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') return console.log(await help())
  if (first === '--version' || first === '-v') return console.log(version())
  const loaded = await loadCommands(first)
  const command = longestFirst(loaded).find((item) => startsWith(argv, item.name))
  if (!command) return explainGroup(argv, loaded)
  const call = readCall(command, argv.slice(command.name.split(' ').length), () => loadCommands())
  if (call === 'help') return console.log(commandHelp(command))
  await command.run(call)
}

/** The commands that begin with a word, or all. */
async function loadCommands(word?: string): Promise<CliCommand[]> {
  const wanted = files.filter(([first]) => word === undefined || word === first)
  // A file with commands of several first words is in the table once for each.
  return [...new Set((await Promise.all(wanted.map(([, load]) => load()))).flat())]
}

// Where `deliveries` and `deliveries show` both fit, the longer one is meant.
const longestFirst = (commands: CliCommand[]) =>
  commands.toSorted((left, right) => right.name.length - left.name.length)

const startsWith = (argv: string[], name: string): boolean => name.split(' ').every((word, at) => argv[at] === word)

/** Words that name no command: the help of a group, or a refusal. */
async function explainGroup(argv: string[], loaded: CliCommand[]): Promise<void> {
  const flagAt = argv.findIndex((word) => word.startsWith('-'))
  const words = flagAt < 0 ? argv : argv.slice(0, flagAt)
  const group = loaded.filter((item) => item.name.startsWith(`${words.join(' ')} `))
  const asksForHelp = words.length === argv.length || argv[words.length] === '--help' || argv[words.length] === '-h'
  if (group.length > 0 && asksForHelp) return console.log(group.map(commandHelp).join('\n\n'))
  const commands = await loadCommands()
  const names = commands.map((item) => item.name)
  const wrong = wrongWords(words, names)
  const meant = nearestCommand(wrong, names)
  const guess = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw new UsageError(`There is no command ${wrong}.${guess} \`rostra --help\` lists the commands.`)
}

/** The command that may be meant: of those that begin with the same words, the one whose next word is nearest. */
function nearestCommand(wrong: string, names: string[]): string | undefined {
  const right = wrong.slice(0, wrong.lastIndexOf(' ') + 1)
  const next = names.filter((name) => name.startsWith(right)).map((name) => name.slice(right.length).split(' ')[0]!)
  const meant = nearest(wrong.slice(right.length), [...new Set(next)])
  return meant === undefined ? undefined : right + meant
}

/** The words up to the first one that fits no command. */
function wrongWords(argv: string[], names: string[]): string {
  let length = 1
  while (length < argv.length && names.some((name) => name.startsWith(`${argv.slice(0, length).join(' ')} `)))
    length += 1
  return argv.slice(0, length).join(' ')
}

/** The list of all commands. A build has it as a file, because loading all commands takes longer than printing it. */
async function help(): Promise<string> {
  try {
    return readFileSync(path.join(PROGRAM_FOLDER, 'help.txt'), 'utf8')
  } catch {
    return makeHelp()
  }
}

export async function makeHelp(): Promise<string> {
  const commands = await loadCommands()
  const width = Math.max(...commands.map((command) => command.name.length)) + 1
  return `rostra <command>

${commands.map((command) => `  ${command.name.padEnd(width)} ${command.summary}`).join('\n')}

\`rostra <command> --help\` lists the options of a command. \`rostra --version\` prints the version.`
}

/** The version in package.json, which is one folder above both src/ and dist/. */
function version(): string {
  const text = readFileSync(path.join(PROGRAM_FOLDER, '..', 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { adsCliCommands } from './cli/ads-commands.ts'
import { appCommands } from './cli/app-commands.ts'
import { type CliCommand, commandHelp, readCall, UsageError } from './cli/command-line.ts'
import { communityCliCommands } from './cli/community-commands.ts'
import { deliveriesCommands } from './cli/deliveries-command.ts'
import { doctorCommand } from './cli/doctor-command.ts'
import { logCommand } from './cli/log-command.ts'
import { messageCliCommands } from './cli/message-commands.ts'
import { noteCliCommands } from './cli/note-commands.ts'
import { projectCliCommands } from './cli/project-commands.ts'
import { resetCommand } from './cli/reset-command.ts'
import { seedCommand } from './cli/seed-command.ts'
import { signCommand } from './cli/sign-command.ts'
import { spaceCliCommands } from './cli/space-commands.ts'
import { START_HELP, start } from './cli/start-command.ts'
import { triggerCliCommand } from './cli/trigger-command.ts'
import { usageCliCommands } from './cli/usage-commands.ts'
import { userCommands } from './cli/user-commands.ts'
import { viewCommands } from './cli/view-commands.ts'
import { PROGRAM_FOLDER } from './process/program-folder.ts'
import { SettingError } from './settings.ts'
import { StartError } from './start/start-error.ts'

const commands: CliCommand[] = [
  resetCommand,
  seedCommand,
  ...projectCliCommands,
  ...appCommands,
  ...userCommands,
  ...messageCliCommands,
  ...spaceCliCommands,
  ...noteCliCommands,
  ...viewCommands,
  ...communityCliCommands,
  ...adsCliCommands,
  ...usageCliCommands,
  logCommand,
  ...deliveriesCommands,
  triggerCliCommand,
  signCommand,
  doctorCommand,
]
// Where `deliveries` and `deliveries show` both fit, the longer one is meant.
const longestFirst = commands.toSorted((left, right) => right.name.length - left.name.length)
const NAME_WIDTH = Math.max(...commands.map((command) => command.name.length)) + 1

const HELP = `rostra <command>

  ${'start'.padEnd(NAME_WIDTH)} Starts the server.
${commands.map((command) => `  ${command.name.padEnd(NAME_WIDTH)} ${command.summary}`).join('\n')}

\`rostra <command> --help\` lists the options of a command. \`rostra --version\` prints the version.`

/** The command line: runs one command and ends the process with a code. */
export async function main(argv: string[]): Promise<void> {
  try {
    await dispatch(argv)
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof StartError || error instanceof SettingError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

async function dispatch(argv: string[]): Promise<void> {
  const [first] = argv
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') return console.log(HELP)
  if (first === '--version' || first === '-v') return console.log(version())
  if (first === 'start')
    return argv.includes('--help') || argv.includes('-h') ? console.log(START_HELP) : start(argv.slice(1))
  const command = longestFirst.find((item) => startsWith(argv, item.name))
  if (!command) {
    const flagAt = argv.findIndex((word) => word.startsWith('-'))
    const words = flagAt < 0 ? argv : argv.slice(0, flagAt)
    const group = commands.filter((item) => item.name.startsWith(`${words.join(' ')} `))
    const asksForHelp = words.length === argv.length || argv[words.length] === '--help' || argv[words.length] === '-h'
    if (group.length > 0 && asksForHelp) return console.log(group.map(commandHelp).join('\n\n'))
    throw new UsageError(`There is no command ${wrongWords(argv)}. \`rostra --help\` lists the commands.`)
  }
  const call = readCall(command, argv.slice(command.name.split(' ').length))
  if (call === 'help') return console.log(commandHelp(command))
  await command.run(call)
}

const startsWith = (argv: string[], name: string): boolean => name.split(' ').every((word, at) => argv[at] === word)

/** The words up to the first one that fits no command. */
function wrongWords(argv: string[]): string {
  let length = 1
  while (length < argv.length && commands.some((item) => item.name.startsWith(`${argv.slice(0, length).join(' ')} `)))
    length += 1
  return argv.slice(0, length).join(' ')
}

/** The version in package.json, which is one folder above both src/ and dist/. */
function version(): string {
  const text = readFileSync(path.join(PROGRAM_FOLDER, '..', 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

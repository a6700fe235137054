import { parseArgs } from 'node:util'
import { outerEnvironment, readSettings, type Settings, settingFlags } from '../settings.ts'
import { nearest } from './nearest.ts'

/** A flag of a command. */
export interface Flag {
  /** What stands for the value in the help; absent for a switch. */
  value?: string
  help: string
  /** May be given several times. */
  multiple?: boolean
}

/** One command of the command line. */
export interface CliCommand {
  /** The words of the command: `app create`. */
  name: string
  summary: string
  /** Positional arguments, as the help shows them. */
  positionals?: string
  flags: Record<string, Flag>
  /** Takes every setting of the server as a flag, not only those that say where the data is. */
  takesSettings?: boolean
  /** Prints what another program prints, or a script: there is no result that could be JSON. */
  hasNoResult?: boolean
  /** Variables that are not settings for this command, because they belong to the program that it runs. */
  foreignVariables?: readonly string[]
  run(call: Call): Promise<void>
}

/** A call of a command, with its flags parsed. */
export interface Call {
  flags: Record<string, string | string[] | boolean | undefined>
  positionals: string[]
  json: boolean
  settings: Settings
  /** Prints a result: as JSON for programs, else in words. */
  print(result: unknown, words: () => string): void
  /** Loads every command there is. */
  allCommands(): Promise<CliCommand[]>
}

/** The command line was wrong; the message is for people. */
export class UsageError extends Error {}

/** The settings that every command takes: where the data is. */
const WHERE = ['data-dir', 'database-url', 'secret-key']
const JSON_FLAG: Flag = { help: 'print the result as JSON' }

/** The settings that a command takes. */
const settingsOf = (command: CliCommand): string[] => (command.takesSettings ? Object.keys(settingFlags) : WHERE)

/** Every flag of a command, with those that all commands have. */
export function flagsOf(command: CliCommand): Record<string, Flag> {
  const settings = settingsOf(command).map((name) => [name, settingFlags[name]!] as const)
  const json: Record<string, Flag> = command.hasNoResult ? {} : { json: command.flags.json ?? JSON_FLAG }
  return { ...command.flags, ...Object.fromEntries(settings), ...json }
}

export function readCall(
  command: CliCommand,
  argv: string[],
  allCommands: Call['allCommands'] = async () => [command],
): Call | 'help' {
  const flags = flagsOf(command)
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      { type: flag.value ? ('string' as const) : ('boolean' as const), multiple: flag.multiple ?? false },
    ]),
  )
  const help = { type: 'boolean' as const, short: 'h' }
  let parsed: { values: Record<string, unknown>; positionals: string[] }
  try {
    parsed = parseArgs({ args: argv, options: { ...options, help }, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${inOneSentence(error as Error, flags)} ${optionsAreIn(command)}`)
  }
  const { values, positionals } = parsed as { values: Call['flags']; positionals: string[] }
  if (values.help) return 'help'
  if (!command.positionals && positionals.length > 0)
    throw new UsageError(
      `\`rostra ${command.name}\` does not take the argument ${positionals[0]}. ${optionsAreIn(command)}`,
    )
  const json = values.json === true
  return {
    flags: values,
    positionals,
    json,
    settings: readSettings(
      settingsOf(command).flatMap((name) => {
        const value = values[name]
        return typeof value === 'string' ? [`--${name}=${value}`] : []
      }),
      without(outerEnvironment(), command.foreignVariables ?? []),
    ),
    print: (result, words) => console.log(json ? JSON.stringify(result) : words()),
    allCommands,
  }
}

/** An environment less some variables. */
export const without = (environment: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)))

const optionsAreIn = (command: CliCommand) => `\`rostra ${command.name} --help\` lists the options.`

/** What Node says about wrong flags, without its advice, and with the flag that was probably meant. */
function inOneSentence(error: Error, flags: Record<string, Flag>): string {
  const sentence = `${error.message.split(/\.? To specify|\n/)[0]!.replace(/\.$/, '')}.`
  const unknown = /^Unknown option '--([^']+)'/.exec(sentence)?.[1]
  const meant = unknown === undefined ? undefined : nearest(unknown, Object.keys(flags))
  return meant === undefined ? sentence : `${sentence} Did you mean --${meant}?`
}

/** The help of one command. */
export function commandHelp(command: CliCommand): string {
  const line = ([name, flag]: [string, Flag]) =>
    `  --${name}${flag.value ? ` ${flag.value}` : ''}\n      ${flag.help}${flag.multiple ? '; may be given several times' : ''}`
  const shared = command.takesSettings
    ? Object.entries(settingFlags).map(line)
    : [
        '  --data-dir <folder>, --database-url <url>, --secret-key <hex>\n      where the data is; see `rostra start --help`',
      ]
  return [
    `rostra ${command.name}${command.positionals ? ` ${command.positionals}` : ''}`,
    '',
    command.summary,
    ...(command.takesSettings ? ['Settings come from flags, then from the environment, then from the defaults.'] : []),
    '',
    ...Object.entries(command.flags)
      .filter(([name]) => name !== 'json')
      .map(line),
    ...shared,
    ...(command.hasNoResult ? [] : [line(['json', command.flags.json ?? JSON_FLAG])]),
  ].join('\n')
}

/** A required flag with a text value. */
export function needed(call: Call, name: string): string {
  const value = call.flags[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is missing.`)
  return value
}

/** The one positional argument of a command. */
export function only(positionals: string[], what: string): string {
  if (positionals.length !== 1) throw new UsageError(`Name one ${what}.`)
  return positionals[0]!
}

/** Reads a yes or no. */
export function yesNo(value: unknown, flag: string): boolean | undefined {
  if (value === undefined) return undefined
  if (value === 'yes' || value === 'no') return value === 'yes'
  throw new UsageError(`--${flag} must be yes or no.`)
}

/** A flag with a whole number, where it is given. */
export function numberFlag(call: Call, name: string, min = 0, max = Number.MAX_SAFE_INTEGER): number | undefined {
  const given = call.flags[name]
  if (given === undefined) return undefined
  const number = Number(given)
  if (/^\d+$/.test(String(given)) && number >= min && number <= max) return number
  const bounds = max === Number.MAX_SAFE_INTEGER ? '' : ` from ${min} to ${max}`
  throw new UsageError(`--${name} is ${JSON.stringify(given)}, but must be a whole number${bounds}.`)
}

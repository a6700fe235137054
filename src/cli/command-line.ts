import { parseArgs } from 'node:util'
import { readSettings, type Settings, settingFlags } from '../settings.ts'

/** A flag of a command. */
interface Flag {
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
}

/** The command line was wrong; the message is for people. */
export class UsageError extends Error {}

/** The settings that every command takes: where the data is. */
const WHERE = ['data-dir', 'database-url', 'secret-key'] as const

export function readCall(command: CliCommand, argv: string[]): Call | 'help' {
  const options = Object.fromEntries([
    ...Object.entries(command.flags).map(([name, flag]) => [
      name,
      { type: flag.value ? ('string' as const) : ('boolean' as const), multiple: flag.multiple ?? false },
    ]),
    ...WHERE.map((name) => [name, settingFlags[name]!]),
    ['json', { type: 'boolean' as const }],
    ['help', { type: 'boolean' as const, short: 'h' }],
  ])
  let parsed: { values: Record<string, unknown>; positionals: string[] }
  try {
    parsed = parseArgs({ args: argv, options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(
      `${(error as Error).message.split(/\.? To specify|\n/)[0]!.replace(/\.$/, '')}. \`rostra ${command.name} --help\` lists the options.`,
    )
  }
  const { values, positionals } = parsed as { values: Call['flags']; positionals: string[] }
  if (values.help) return 'help'
  if (!command.positionals && positionals.length > 0)
    throw new UsageError(
      `\`rostra ${command.name}\` does not take the argument ${positionals[0]}. \`rostra ${command.name} --help\` lists the options.`,
    )
  const json = values.json === true
  return {
    flags: values,
    positionals,
    json,
    settings: readSettings(
      WHERE.flatMap((name) => (typeof values[name] === 'string' ? [`--${name}`, values[name] as string] : [])),
    ),
    print: (result, words) => console.log(json ? JSON.stringify(result) : words()),
  }
}

/** The help of one command. */
export function commandHelp(command: CliCommand): string {
  const flags = Object.entries(command.flags).map(
    ([name, flag]) =>
      `  --${name}${flag.value ? ` ${flag.value}` : ''}\n      ${flag.help}${flag.multiple ? '; may be given several times' : ''}`,
  )
  return [
    `rostra ${command.name}${command.positionals ? ` ${command.positionals}` : ''}`,
    '',
    command.summary,
    '',
    ...flags,
    '  --data-dir <folder>, --database-url <url>, --secret-key <hex>\n      where the data is; see `rostra start --help`',
    '  --json\n      print the result as JSON',
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

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { credentialVariables } from '../../front/environment.ts'
import { bundleVariables, javaTrustOption, trustFilesIn } from '../../front/trust-files.ts'
import type { Credentials } from '../../process/credentials.ts'
import { runningInstance } from '../../start/instance-lock.ts'
import { type CliCommand, UsageError } from '../command-line.ts'
import { noServer } from '../where.ts'

export const envCommand: CliCommand = {
  name: 'env',
  summary:
    'Prints the variables for programs that use the running server: addresses, keys and tokens under many names.',
  flags: {
    shell: { help: 'as lines for a shell, which is the default: eval "$(rostra env --shell)"' },
    dotenv: { help: 'as lines of a .env file, which docker reads too' },
  },
  run: async ({ flags, json, settings }) => {
    if ([flags.shell, flags.dotenv, json].filter(Boolean).length > 1)
      throw new UsageError('Choose one of --shell, --dotenv and --json.')
    const { dataDir } = settings
    const instance = await runningInstance(dataDir)
    if (!instance?.listen_url) throw await noServer(settings)
    const facts = JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8')) as Credentials
    const { named, plain } = credentialVariables(facts, dataDir)
    const trust = instance.names_port === undefined ? {} : trustVariables(dataDir)
    const always = { ...named, ...trust }
    if (json) return console.log(JSON.stringify({ ...always, ...plain }))
    if (flags.dotenv) return console.log(lines({ ...always, ...plain }, (name, value) => `${name}=${value}`))
    console.log(lines(always, (name, value) => `export ${name}=${quoted(value)}`))
    // These may belong to another service: a value that is there stays.
    console.log(lines(plain, (name, value) => `: "\${${name}:=${value}}"; export ${name}`))
  },
}

/** A server that serves the platform's names needs programs that trust its authority. */
function trustVariables(dataDir: string): Record<string, string> {
  const files = trustFilesIn(path.join(dataDir, 'trust'))
  return { ...bundleVariables(files), JAVA_TOOL_OPTIONS: javaTrustOption(files) }
}

const lines = (variables: Record<string, string>, line: (name: string, value: string) => string): string =>
  Object.entries(variables)
    .map(([name, value]) => line(name, value))
    .join('\n')

const quoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`

import { type CliCommand, UsageError } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs } from '../words.ts'

const WITH_VALUE = ['advance', 'set']
const SWITCHES = ['freeze', 'resume', 'reset']

export const clockCliCommand: CliCommand = {
  name: 'clock',
  summary: 'Shows the clock of the product, or moves, freezes or resumes it. What falls due is done before it returns.',
  positionals: '[advance <duration> | set <time> | freeze | resume | reset]',
  flags: {
    freeze: { help: 'time stands still afterwards; with advance or set' },
    resume: { help: 'time goes on afterwards; with advance or set' },
  },
  run: async (call) => {
    const result = await runCommand(call.settings, 'clock', {
      ...readWords(call.positionals),
      ...(call.flags.freeze ? { freeze: true } : {}),
      ...(call.flags.resume ? { resume: true } : {}),
    })
    call.print(result, () => pairs(result))
  },
}

function readWords([verb, value, ...more]: string[]): Record<string, unknown> {
  if (verb === undefined) return {}
  if (WITH_VALUE.includes(verb) && value !== undefined && more.length === 0) return { [verb]: value }
  if (SWITCHES.includes(verb) && value === undefined) return { [verb]: true }
  const example = verb === 'set' ? 'set 2030-01-01T12:00:00Z' : 'advance 2h'
  throw new UsageError(
    `\`rostra clock\` takes advance, set, freeze, resume or reset, such as \`rostra clock ${example}\`.`,
  )
}

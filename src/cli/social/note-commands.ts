import { type CliCommand, needed, only } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs } from '../words.ts'

const command = (
  name: string,
  details: Pick<CliCommand, 'summary' | 'positionals' | 'flags'>,
  argsOf: (call: Parameters<CliCommand['run']>[0]) => Record<string, unknown>,
): CliCommand => ({
  ...details,
  name: `notes ${name}`,
  run: async (call) => {
    const result = await runCommand(call.settings, `notes.${name}`, argsOf(call))
    call.print(result, () => pairs(result))
  },
})

export const noteCliCommands: CliCommand[] = [
  command(
    'enrol',
    {
      summary: 'Lets a user write community notes.',
      positionals: '<username>',
      flags: { top: { help: 'a top writer, who may also read the feeds large, xl and xxl' } },
    },
    (call) => ({ user: only(call.positionals, 'username'), top: call.flags.top }),
  ),
  command(
    'withdraw',
    { summary: 'Takes the right to write community notes from a user.', positionals: '<username>', flags: {} },
    (call) => ({ user: only(call.positionals, 'username') }),
  ),
  command(
    'rate',
    {
      summary: 'Rates a community note.',
      positionals: '<note id>',
      flags: {
        user: { value: '<username>', help: 'who rates it' },
        helpfulness: { value: '<word>', help: 'helpful, somewhat_helpful or not_helpful' },
        tag: { value: '<tag>', help: 'why, such as good_sources or opinion_speculation', multiple: true },
      },
    },
    (call) => ({
      ratings: [
        {
          note: only(call.positionals, 'note id'),
          user: needed(call, 'user'),
          helpfulness: needed(call, 'helpfulness'),
          tags: Array.isArray(call.flags.tag) ? call.flags.tag : undefined,
        },
      ],
    }),
  ),
  command('score', { summary: 'Scores the community notes now, from all ratings.', flags: {} }, () => ({})),
  command(
    'show',
    { summary: 'Shows the status and the score of a community note.', positionals: '<note id>', flags: {} },
    (call) => ({ note: only(call.positionals, 'note id') }),
  ),
]

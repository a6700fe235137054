import { type Call, type CliCommand, needed, numberFlag, UsageError } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs, table } from '../words.ts'

/** A flag with an amount of money or `none`, where it is given. */
function amountFlag(call: Call, name: string): number | null | undefined {
  const given = call.flags[name]
  if (given === undefined) return undefined
  if (given === 'none') return null
  if (typeof given === 'string' && /^\d{1,9}(\.\d{1,6})?$/.test(given)) return Number(given)
  throw new UsageError(`--${name} is ${JSON.stringify(given)}, but must be an amount such as 25.50, or none.`)
}

const project = { value: '<project id>', help: 'the project; `rostra project list` shows them' }

export const usageCliCommands: CliCommand[] = [
  {
    name: 'usage',
    summary: 'Shows what a project read and what it cost, day by day.',
    flags: { project, days: { value: '<number>', help: 'how many days, 1 to 90; default 7' } },
    run: async (call) => {
      const result = await runCommand(call.settings, 'usage', {
        project: needed(call, 'project'),
        days: numberFlag(call, 'days', 1, 90),
      })
      const { days, ...totals } = result as { days: Record<string, unknown>[] }
      call.print(result, () =>
        [pairs(shown(totals)), '', table(days, ['date', 'app_id', 'kind', 'used', 'cost'])].join('\n'),
      )
    },
  },
  {
    name: 'usage limits',
    summary: 'Changes the cap and the budgets of a project; requests beyond them are refused.',
    flags: {
      project,
      'monthly-cap': { value: '<number>|none', help: 'posts that it may read in a month; none: the cap of the tier' },
      'monthly-budget': { value: '<amount>|none', help: 'what it may spend in a month' },
      'daily-budget': { value: '<amount>|none', help: 'what it may spend on a day (UTC)' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'usage.limits', {
        project: needed(call, 'project'),
        monthly_cap: call.flags['monthly-cap'] === 'none' ? null : numberFlag(call, 'monthly-cap', 0, 2_147_483_647),
        monthly_budget: amountFlag(call, 'monthly-budget'),
        daily_budget: amountFlag(call, 'daily-budget'),
      })
      call.print(result, () => pairs(shown(result)))
    },
  },
]

const shown = (object: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, value ?? 'none']))

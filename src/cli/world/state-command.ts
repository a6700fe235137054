import { type CliCommand, numberFlag } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs } from '../words.ts'

interface State {
  clock: Record<string, unknown>
  snapshots: { name: string }[]
  faults: { active: boolean }[]
  usage: { currency: string; from: string; to: string; rows: { cost: number }[] }
}

export const stateCliCommand: CliCommand = {
  name: 'state',
  summary: 'Shows the clock, the snapshots, the faults, and what was used and spent.',
  flags: { days: { value: '<number>', help: 'how many days of usage; default 14' } },
  run: async (call) => {
    const answer = await runCommand(call.settings, 'state.show', { days: numberFlag(call, 'days', 1, 90) })
    const { clock, snapshots, faults, usage } = answer as unknown as State
    const cost = usage.rows.reduce((sum, row) => sum + row.cost, 0)
    const shown = {
      ...clock,
      snapshots: snapshots.map((item) => item.name),
      faults: `${faults.filter((item) => item.active).length} active`,
      cost: `${cost.toFixed(4)} ${usage.currency} from ${usage.from} to ${usage.to}`,
    }
    call.print(answer, () => pairs(shown))
  },
}

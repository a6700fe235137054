import type { CliCommand } from '../command-line.ts'
import { UsageError } from '../command-line.ts'
import { loadProduct } from '../load-product.ts'
import { callRunning } from '../reach-runtime.ts'
import { requireData, sayWhere } from '../where.ts'

export const resetCommand: CliCommand = {
  name: 'reset',
  summary: 'Deletes everything and creates the first world again. Its credentials stay the same.',
  flags: { yes: { help: 'do it without asking' } },
  run: async (call) => {
    if (!call.flags.yes) throw new UsageError('This deletes all users, posts, apps and tokens. Add --yes to do it.')
    const answered = await callRunning(call.settings, 'POST', '/_rostra/reset')
    if (answered === undefined) {
      await requireData(call.settings)
      const { withRuntime } = await loadProduct(() => import('../open-runtime.ts'))
      const { resetWorld } = await import('../../world/reset-world.ts')
      const { audited } = await import('../../control/audit/audited.ts')
      await withRuntime(call.settings, (runtime) =>
        audited(runtime, { actor: 'command line', name: 'reset', args: {} }, (noteDone) =>
          resetWorld(runtime, { noteDone }),
        ),
      )
      sayWhere(call.settings)
    }
    call.print({ reset: true }, () => 'The first world was created again.')
  },
}

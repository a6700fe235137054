import { neutral } from '../../api-kit/naming/naming.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { Problem, renderBody } from '../../api-kit/writing/problem.ts'
import { realNow } from '../../process/clock.ts'
import { auditBegin, auditEnd } from './audit.statements.ts'
import { redact, secretsIn } from './redact.ts'

/** Who calls a control command. */
export type Actor = 'admin key' | 'console session' | 'command line'

/**
 * Runs something that an operator does, and notes it in the audit log: what was to be done before it begins, and how it ended
 * afterwards. A process that dies in between leaves an entry that only started. `run` may call `noteDone` when nothing more can
 * fail that matters, to have the end noted while it tidies up.
 */
export async function audited<T>(
  runtime: Runtime,
  what: { actor: Actor; name: string; args: unknown },
  run: (noteDone: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const { database, clock } = runtime
  const now = [new Date(clock.now()), new Date(realNow())] as const
  const begun = await auditBegin.first(database, ...now, what.actor, what.name, redact(what.args))
  const secrets = secretsIn(what.args)
  const end = (outcome: string, status: number, result: unknown) =>
    auditEnd
      .count(database, begun!.id, outcome, status, redact(result, secrets))
      // What was done is done: the answer must not say otherwise.
      .catch((error: unknown) =>
        runtime.log.error({ err: error, command: what.name }, 'the audit log could not be written'),
      )
  let noted: Promise<unknown> | undefined
  const noteDone = async () => {
    noted ??= end('done', 200, {})
    await noted
  }
  try {
    const result = await run(noteDone)
    await (noted ?? end('done', 200, result))
    return result
  } catch (error) {
    await noted
    if (error instanceof Problem)
      await end('refused', error.status, renderBody(error.body, neutral, runtime.problemBase))
    else await end('failed', 500, {})
    throw error
  }
}

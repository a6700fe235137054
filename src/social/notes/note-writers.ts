import type { Caller } from '../../api-kit/declaring/caller.ts'
import { userOf } from '../../api-kit/declaring/operation.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { AsGiven } from '../../api-kit/writing/problem.ts'
import { forbidden, invalidRequest } from '../../api-kit/writing/problems.ts'
import { writerById, writerEnrol, writerWithdraw } from './note.statements.ts'

/** Lets a user write notes; a top writer may also read the larger feeds. */
export const enrolWriter = (runtime: Runtime, userId: string, { top }: { top: boolean }): Promise<number> =>
  writerEnrol.count(runtime.database, userId, top, new Date(runtime.clock.now()))

/** Takes the right to write notes from a user, who keeps the notes. Returns how many users had it. */
export const withdrawWriter = (runtime: Runtime, userId: string): Promise<number> =>
  writerWithdraw.count(runtime.database, userId)

/** The caller, if enrolled as a writer of notes. */
export async function findWriter(runtime: Runtime, caller: Caller): Promise<{ id: string; isTop: boolean }> {
  const { id } = userOf(caller)
  const writer = await writerById.first(runtime.database, id)
  if (!writer) throw forbidden('User must be an API Note Writer to access this endpoint.', 'the user is not enrolled')
  return { id, isTop: writer.top }
}

/** Refuses requests outside of test mode. */
export function checkTestMode(testMode: boolean): void {
  if (testMode) return
  throw invalidRequest([
    { parameters: new AsGiven({ test_mode: ['false'] }), message: 'test_mode must be true for now.' },
  ])
}

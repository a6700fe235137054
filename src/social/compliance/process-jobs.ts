import type { Runtime } from '../../api-kit/runtime.ts'
import { wireTime } from '../../process/clock.ts'
import { every } from '../../process/every.ts'
import { isStorableId, timeOfId } from '../../process/ids.ts'
import type { Stoppable } from '../../process/keep-trying.ts'
import { startLeader, untilEnd } from '../../storage/leader.ts'
import { LOCK } from '../../storage/lock-numbers.ts'
import { outageOf } from '../../storage/outage.ts'
import {
  jobFail,
  jobToProcess,
  postsToRemove,
  segmentAt,
  stepEnd,
  uploadDrop,
  usersToRemove,
} from './compliance.statements.ts'

const EVERY_MS = 1_000
const AT_ONCE = 5_000
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf'

/** The ids in the lines of a segment; undefined when a line is not an id. */
function idsOf(lines: string[]): string[] | undefined {
  const ids: string[] = []
  for (const line of lines) {
    const id = line.trim()
    if (id === '') continue
    if (!/^\d{1,19}$/.test(id)) return undefined
    ids.push(id)
  }
  return ids
}

/** The lines of the result for these ids. Those that may be kept have none. */
async function linesFor(runtime: Runtime, type: string, ids: string[]): Promise<string> {
  const find = type === 'posts' ? postsToRemove : usersToRemove
  const now = runtime.clock.now()
  let text = ''
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE)
    const found = await find.first(runtime.database, some.filter(isStorableId), new Date(now))
    text += found?.lines ?? ''
    for (const id of some) if (!isStorableId(id)) text += lineOfUnknown(id, now)
  }
  return text
}

/** The line of an id that no column can hold. */
const lineOfUnknown = (id: string, now: number): string =>
  `${JSON.stringify({
    id,
    action: 'delete',
    created_at: wireTime(timeOfId(id)),
    redacted_at: wireTime(now),
    reason: 'deleted',
  })}\n`

/** Processes the next segment. False when nothing is to do. A job that cannot be processed must not keep the others waiting. */
async function processStep(runtime: Runtime): Promise<boolean> {
  const job = await jobToProcess.first(runtime.database)
  if (!job) return false
  try {
    await processSegment(runtime, job)
  } catch (error) {
    if (outageOf(error) !== undefined) throw error
    runtime.log.error({ err: error, job: job.id }, 'a compliance job failed')
    await jobFail.count(runtime.database, job.id)
  }
  return true
}

type Job = NonNullable<Awaited<ReturnType<typeof jobToProcess.first>>>

/** Processes one segment of a job, and stores the result together with how far it came. */
async function processSegment(runtime: Runtime, job: Job): Promise<void> {
  const { database } = runtime
  const segment = await segmentAt.first(database, job.id, job.upload_attempt, job.done_bytes)
  const bytes = segment?.bytes ?? Buffer.alloc(0)
  const done = Number(job.done_bytes) + bytes.length
  const isLast = bytes.length === 0 || done >= Number(job.received_bytes)
  const whole = job.unfinished_line + bytes.toString('latin1')
  const lines = (job.done_bytes === '0' && whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(3) : whole).split('\n')
  const unfinished = isLast ? '' : lines.pop()!
  const ids = unfinished.length > 100 ? undefined : idsOf(lines)
  const text = ids ? await linesFor(runtime, job.type, ids) : ''
  const status = ids ? (isLast ? 'complete' : 'in_progress') : 'failed'
  await stepEnd.first(database, job.id, job.done_bytes, String(done), ids ? unfinished : '', status, Buffer.from(text))
  if (status !== 'in_progress') await uploadDrop.count(database, job.id)
}

/** Processes the jobs that are uploaded, oldest first. The memory does not grow with their size. */
export async function processJobs(runtime: Runtime, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await processStep(runtime)));
}

/** Processes jobs in one process of all machines. After a kill, another continues after the last segment that was stored. */
export const startComplianceWork = (runtime: Runtime): Stoppable =>
  startLeader({
    name: 'compliance jobs',
    lock: [LOCK.complianceJobs],
    connection: () => runtime.database.connection,
    log: runtime.log,
    lead: async (_own, ending) => {
      const work = every(
        EVERY_MS,
        (stopping) => processJobs(runtime, stopping),
        (error) => runtime.log.error({ err: error }, 'a compliance job failed and is tried again'),
      )
      await untilEnd(ending)
      await work.stop()
    },
  })

import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { wireTime } from '../../process/clock.ts'
import { capOf } from '../tier-caps.ts'
import { usageByDay, usageTotals } from './usage.statements.ts'
import { dayOf, storeUsage } from './usage-meter.ts'

const DAY_MS = 24 * 3600_000
const INT32 = 2_147_483_647

interface DayUsage {
  date: string
  usage: number
}

const int32 = (number: number): number => Math.min(number, INT32)

/** The usage of a caller's project as the interface shows it. Days without use are left out; the oldest day is first. */
export async function readUsage(runtime: Runtime, app: Pick<Caller['app'], 'projectId' | 'tier'>, days: number) {
  await storeUsage(runtime)
  const now = runtime.clock.now()
  const [totals] = await usageTotals.all(runtime.database, [app.projectId], dayOf(now))
  const rows = await usageByDay.all(runtime.database, app.projectId, dayOf(now - (days - 1) * DAY_MS), dayOf(now))
  const posts = rows.filter((row) => row.kind === 'post')
  const project = sumDays(posts)
  const apps = [...new Set(posts.map((row) => row.app_id))].map((id) => {
    const usage = sumDays(posts.filter((row) => row.app_id === id))
    return { client_app_id: id, usage, usage_result_count: usage.length }
  })
  return {
    cap_reset_day: daysToNextMonth(now),
    daily_client_app_usage: apps.length === 0 ? undefined : apps,
    daily_project_usage: {
      project_id: BigInt(app.projectId),
      usage: project.length === 0 ? undefined : project,
    },
    project_cap: int32(totals?.monthly_post_cap ?? capOf({ app }, 'monthly_posts')),
    project_id: app.projectId,
    project_usage: int32(totals?.posts ?? 0),
  }
}

function sumDays(rows: { day: string; used: number }[]): DayUsage[] {
  const sums = new Map<string, number>()
  for (const { day, used } of rows) sums.set(day, (sums.get(day) ?? 0) + used)
  return [...sums].map(([day, used]) => ({ date: wireTime(Date.parse(day)), usage: int32(used) }))
}

/** How many days are left until the first day of the next month. */
export function daysToNextMonth(now: number): number {
  const today = new Date(now)
  const next = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1)
  return Math.ceil((next - now) / DAY_MS)
}

import { closed, nullable, Type } from '../api-kit/declaring/schema.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { blank } from '../api-kit/writing/problems.ts'
import { daysToNextMonth } from '../identity/usage/read-usage.ts'
import { limitsSet, usageByDay, usageTotals } from '../identity/usage/usage.statements.ts'
import { dayOf, storeUsage } from '../identity/usage/usage-meter.ts'
import { type Command, defineCommand, NameOrId } from './command.ts'
import { findProjectOf } from './project-commands.ts'

const optional = Type.Optional
export const DAY_MS = 24 * 3600_000
const MICROS = 1_000_000

export const money = (micros: number | null): number | null => (micros === null ? null : micros / MICROS)

/** What a project used and spent, day by day, with its caps and budgets. */
async function showUsage(runtime: Runtime, projectId: string, days: number) {
  const now = runtime.clock.now()
  const [totals] = await usageTotals.all(runtime.database, [projectId], dayOf(now))
  const rows = await usageByDay.all(runtime.database, projectId, dayOf(now - (days - 1) * DAY_MS), dayOf(now))
  return {
    currency: runtime.prices.currency,
    posts_this_month: totals!.posts,
    monthly_cap: totals!.monthly_post_cap,
    cap_reset_days: daysToNextMonth(now),
    cost_this_month: money(totals!.month_micros),
    monthly_budget: money(totals!.monthly_budget_micros),
    cost_today: money(totals!.day_micros),
    daily_budget: money(totals!.daily_budget_micros),
    days: rows.map((row) => ({
      date: row.day,
      app_id: row.app_id,
      kind: row.kind,
      used: row.used,
      cost: money(row.cost_micros),
    })),
  }
}

const usageShow = defineCommand(
  'usage',
  closed({ project: NameOrId, days: optional(Type.Integer({ minimum: 1, maximum: 90 })) }),
  async (runtime, args) => {
    const project = (await findProjectOf(runtime, args.project))!
    await storeUsage(runtime)
    return { project_id: project.id, project: project.name, ...(await showUsage(runtime, project.id, args.days ?? 7)) }
  },
)

const Cap = nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))
const Budget = nullable(Type.Number({ minimum: 0, maximum: 1_000_000_000 }))

/** Changes the limits that are given; null removes a budget, and makes the cap that of the tier. */
const usageLimits = defineCommand(
  'usage.limits',
  closed({
    project: NameOrId,
    monthly_cap: optional(Cap),
    monthly_budget: optional(Budget),
    daily_budget: optional(Budget),
  }),
  async (runtime, args) => {
    const project = (await findProjectOf(runtime, args.project))!
    const micros = (amount: number | null | undefined) =>
      amount === null || amount === undefined ? null : Math.round(amount * MICROS)
    const changed = await limitsSet.first(
      runtime.database,
      project.id,
      args.monthly_cap !== undefined,
      args.monthly_cap ?? null,
      args.monthly_budget !== undefined,
      micros(args.monthly_budget),
      args.daily_budget !== undefined,
      micros(args.daily_budget),
    )
    if (!changed) throw blank(404, `There is no project [${args.project}].`)
    await storeUsage(runtime)
    const { monthly_cap, monthly_budget, daily_budget, currency } = await showUsage(runtime, project.id, 1)
    return { project_id: project.id, project: project.name, currency, monthly_cap, monthly_budget, daily_budget }
  },
)

export const usageControlCommands: readonly Command[] = [usageShow, usageLimits]

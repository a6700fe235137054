import { type CliCommand, numberFlag, only } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs, table } from '../words.ts'

interface Counts {
  impressions: number
  engagements: number
  billed_engagements: number
  billed_charge_local_micro: number
}

interface Answer {
  entity: string
  id: string
  by: 'hour' | 'day'
  days: number
  timezone: string
  currency: string | null
  series: (Counts & { at: string })[]
  totals: Counts & { engagement_rate: number | null; cost_per_result_local_micro: number | null; reach?: number }
  budget_left_today_local_micro?: number | null
}

const MICROS = 1_000_000

/** The hours or days with impressions, and the sums. Times are those of the account. */
function inWords(answer: Answer): string {
  const { totals, currency } = answer
  const money = (micros: number | null | undefined) =>
    micros === null || micros === undefined || currency === null
      ? undefined
      : `${(micros / MICROS).toFixed(2)} ${currency}`
  const local = new Intl.DateTimeFormat('sv-SE', {
    timeZone: answer.timezone,
    dateStyle: 'short',
    ...(answer.by === 'hour' ? { timeStyle: 'short' } : {}),
  })
  const rows = answer.series
    .filter((item) => item.impressions > 0 || item.engagements > 0)
    .map((item) => ({
      [answer.by]: local.format(new Date(item.at)),
      impressions: item.impressions,
      engagements: item.engagements,
      spend: money(item.billed_charge_local_micro) ?? '',
    }))
  const sums = {
    [answer.entity.toLowerCase()]: answer.id,
    days: answer.days,
    timezone: answer.timezone,
    impressions: totals.impressions,
    reach: totals.reach,
    engagements: totals.engagements,
    engagement_rate: totals.engagement_rate === null ? undefined : `${(totals.engagement_rate * 100).toFixed(2)} %`,
    results: totals.billed_engagements,
    spend: money(totals.billed_charge_local_micro),
    cost_per_result: money(totals.cost_per_result_local_micro),
    budget_left_today: money(answer.budget_left_today_local_micro),
  }
  const known = Object.fromEntries(Object.entries(sums).filter(([, value]) => value !== undefined))
  const list =
    rows.length === 0 ? 'Nothing was shown.' : table(rows, [answer.by, 'impressions', 'engagements', 'spend'])
  return `${list}\n\n${pairs(known)}`
}

export const adsStatisticsCommand: CliCommand = {
  name: 'ads stats',
  summary: 'Shows what an account, a campaign or a line item showed, what followed and what it cost.',
  positionals: '<account id>',
  flags: {
    campaign: { value: '<id>', help: 'only this campaign' },
    'line-item': { value: '<id>', help: 'only this line item' },
    by: { value: 'hour|day', help: 'default day' },
    days: { value: '<number>', help: 'how many, up to now; default 14, by the hour 1' },
  },
  run: async (call) => {
    const answer = await runCommand(call.settings, 'ads.statistics', {
      account: only(call.positionals, 'account id'),
      campaign: call.flags.campaign,
      line_item: call.flags['line-item'],
      by: call.flags.by,
      days: numberFlag(call, 'days', 1, 90),
    })
    call.print(answer, () => inWords(answer as unknown as Answer))
  },
}

import { accountAccessPart } from '../../ads/kit/access.ts'
import { parseBase36 } from '../../ads/kit/values.ts'
import { payerOf, readOverview } from '../../ads/statistics/overview.ts'
import { closed, Type, words } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { blank, invalidParameter } from '../../api-kit/writing/problems.ts'
import { defineCommand } from '../command.ts'
import { AccountId, findAccount } from './find-account.ts'

const optional = Type.Optional
/** How many days are shown unless asked for. A plot of hours has room for fewer. */
const DAYS = { hour: 1, day: 14 }
const MOST_DAYS = { hour: 7, day: 90 }

interface Chosen {
  account: string
  campaign?: string
  line_item?: string
}

/** The campaign or line item that was named, with its budgets. */
async function findPayer({ database }: Runtime, owner: string, { account, campaign, line_item }: Chosen) {
  const given = line_item ?? campaign
  if (given === undefined) return undefined
  if (campaign !== undefined && line_item !== undefined)
    throw invalidParameter('line_item', line_item, 'line_item cannot be used together with campaign')
  const id = parseBase36(given)
  const isItem = line_item !== undefined
  const payer =
    id === undefined ? undefined : await payerOf.first(database, owner, isItem ? null : id, isItem ? id : null)
  if (!payer) throw blank(404, `The account ${account} has no ${isItem ? 'line item' : 'campaign'} [${given}].`)
  return payer
}

/** What an account, a campaign or a line item showed and spent in the last days. */
export const adsStatistics = defineCommand(
  'ads.statistics',
  closed({
    account: AccountId,
    campaign: optional(AccountId),
    line_item: optional(AccountId),
    by: optional(words(['hour', 'day'])),
    days: optional(Type.Integer({ minimum: 1, maximum: MOST_DAYS.day })),
  }),
  async (runtime, args) => {
    const owner = await findAccount(runtime, args.account)
    const by = args.by ?? 'day'
    const days = args.days ?? DAYS[by]
    if (days > MOST_DAYS[by])
      throw invalidParameter('days', String(days), `days must be from 1 to ${MOST_DAYS[by]} by the ${by}`)
    const payer = await findPayer(runtime, owner, args)
    const account = (await runtime.parts.one(accountAccessPart, owner))!
    const overview = await readOverview(runtime, { account, payer, by, days })
    return { account: args.account, id: args.line_item ?? args.campaign ?? args.account, by, days, ...overview }
  },
)

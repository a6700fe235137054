import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import { statement } from '../../storage/statement.ts'
import { defineAdsOperation, optional } from '../kit/operation.ts'
import { oneOfKind } from '../kit/values.ts'
import { CURRENCIES, largestBid, smallestAmount } from '../money.ts'
import { PLACEMENT_COMBINATIONS, PLACEMENTS, PRODUCT_TYPES } from './objectives.data.ts'

const currenciesOf = statement(
  'ads_currencies_of_user',
  { currency: 'text' },
  `select distinct f.currency from ads_account_reach a join ads_funding_instrument f on f.account_id = a.id
    where a.user_id = $1 and a.sandbox = $2 and not a.deleted and not f.deleted order by 1`,
)

const Micros = Type.Integer({ format: 'int64' })

const listBiddingRules = defineAdsOperation({
  id: 'listBiddingRules',
  route: 'GET /12/bidding_rules',
  tag: 'Bidding Rules',
  summary: 'List the smallest and largest bids of currencies',
  params: { currency: optional(oneOfKind(CURRENCIES)) },
  data: component(
    'BiddingRule',
    Type.Object({
      currency: Type.String({ pattern: '^[A-Z]{3}$' }),
      minimum_cpe_bid_local_micro: Micros,
      maximum_cpe_bid_local_micro: Micros,
      minimum_denomination: Micros,
    }),
  ),
  envelope: 'whole list',
  handle: async ({ params, runtime, user, sandbox }) => {
    const currencies = params.currency
      ? [params.currency]
      : (await currenciesOf.all(runtime.database, user.id, sandbox)).map((row) => row.currency)
    const data = currencies.map((currency) => {
      const step = smallestAmount(currency)
      return {
        currency,
        minimum_cpe_bid_local_micro: step,
        maximum_cpe_bid_local_micro: largestBid(currency),
        minimum_denomination: step,
      }
    })
    return { data, total_count: data.length }
  },
})

const listLineItemPlacements = defineAdsOperation({
  id: 'listLineItemPlacements',
  route: 'GET /12/line_items/placements',
  tag: 'Line Item Placements',
  summary: 'List the placements that can be bought together',
  params: { product_type: optional(oneOfKind(PRODUCT_TYPES)) },
  data: component(
    'LineItemPlacement',
    Type.Object({ product_type: words(PRODUCT_TYPES), placements: Type.Array(Type.Array(words(PLACEMENTS))) }),
  ),
  envelope: 'whole list',
  handle: async ({ params }) => ({
    data: PRODUCT_TYPES.filter((type) => params.product_type === undefined || type === params.product_type).map(
      (type) => ({ product_type: type, placements: PLACEMENT_COMBINATIONS[type] }),
    ),
  }),
})

export const biddingOperations = [listBiddingRules, listLineItemPlacements]

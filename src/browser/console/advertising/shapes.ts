/** The records of the advertising interface, as far as the page shows them. Their declarations make them at run time. */
export interface Creative {
  kind: 'promoted_post' | 'promoted_account' | 'media_creative'
  id: string
  post_id?: string
  user_id?: string
  creative_type?: string
  entity_status: string
  approval_status: string
}

export interface LineItem {
  id: string
  name: string | null
  objective: string
  product_type: string
  placements: string[]
  goal: string
  bid_strategy: string
  bid_amount_local_micro: number | null
  start_time: string | null
  end_time: string | null
  currency: string
  entity_status: string
  effective_status: string
  reasons_not_servable: string[]
  creatives: Creative[]
}

export interface Campaign {
  id: string
  name: string
  currency: string
  daily_budget_amount_local_micro: number | null
  total_budget_amount_local_micro: number | null
  entity_status: string
  effective_status: string
  reasons_not_servable: string[]
  line_items: LineItem[]
}

export interface Instrument {
  id: string
  type: string
  description: string | null
  currency: string
  able_to_fund: boolean
  reasons_not_able_to_fund: string[]
  credit_remaining_local_micro: number | null
  funded_amount_local_micro: number | null
}

export interface TreeAnswer {
  funding_instruments: Instrument[]
  campaigns: Campaign[]
  creatives_cut?: boolean
  next: string | null
}

export interface Audience {
  id: string
  name: string
  audience_type: string
  audience_size: number | null
  targetable: boolean
  reasons_not_targetable: string[]
  permission_level: string
  is_owner: boolean
}

export interface Criterion {
  id: string
  name: string
  targeting_type: string
  targeting_value: string | number
  operator_type?: string
}

const MICROS = 1_000_000

/** An amount of money. */
export const moneyOf = (micros: number | null, currency: string): string =>
  micros === null ? '' : `${(micros / MICROS).toLocaleString('en-US', { minimumFractionDigits: 2 })} ${currency}`

import { Type, words } from '../../api-kit/declaring/schema.ts'
import { changeRecord } from '../kit/change-records.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { findRecord } from '../kit/entity-operations.ts'
import { AdsProblem, invalidParameter, refusal, windowErrors } from '../kit/errors.ts'
import { idsFilter, micros, oneOf, reads, text, time } from '../kit/field.ts'
import { type AdsAnswer, type AdsInput, optional, type ValuesOf } from '../kit/operation.ts'
import { replaced } from '../kit/replaced.ts'
import { flagKind, idKind, microsKind } from '../kit/values.ts'
import { CURRENCIES } from '../money.ts'
import { blocksKind, blocksSql, reasonsAt } from './serving-blocks.ts'

const TYPES = ['AGENCY_CREDIT_LINE', 'CREDIT_CARD', 'CREDIT_LINE', 'INSERTION_ORDER', 'PARTNER_MANAGED'] as const
const REASONS = ['BUDGET_EXHAUSTED', 'DELETED', 'EXPIRED', 'PAUSED', 'STARTS_IN_FUTURE'] as const

const DESCRIPTIONS = {
  AGENCY_CREDIT_LINE: 'Agency credit line',
  CREDIT_CARD: 'Credit card',
  CREDIT_LINE: 'Credit line',
  INSERTION_ORDER: 'Insertion order',
  PARTNER_MANAGED: 'Partner managed',
}

const hasType =
  (...types: string[]) =>
  ({ type }: { type: string }) =>
    types.includes(type)

const partnerManaged = { funded_amount_local_micro: optional(microsKind()), paused: optional(flagKind) }

/** A funding instrument: what campaigns are paid with. */
export const fundingInstruments = defineAdsEntity({
  name: 'funding_instrument',
  plural: 'funding_instruments',
  tag: 'Funding Instruments',
  component: 'FundingInstrument',
  table: 'ads_funding_instrument',
  counted: true,
  notFound: 'FUNDING_INSTRUMENT_NOT_FOUND',
  fields: {
    type: oneOf(TYPES, { required: true, createOnly: true }),
    description: text({ readOnly: true }),
    entity_status: oneOf(['ACTIVE', 'PAUSED'], { readOnly: true, initial: 'ACTIVE' }),
    currency: oneOf(CURRENCIES, { required: true, createOnly: true }),
    credit_limit_local_micro: micros({ createOnly: true }),
    funded_amount_local_micro: micros({ createOnly: true }),
    io_header: text({ readOnly: true }),
    start_time: time({ required: true, createOnly: true }),
    end_time: time({ createOnly: true }),
  },
  initially: { description: ({ type }) => DESCRIPTIONS[type] },
  onlyWhen: {
    credit_limit_local_micro: {
      holds: hasType('CREDIT_CARD', 'CREDIT_LINE'),
      says: 'may only be sent with the types CREDIT_CARD and CREDIT_LINE',
    },
    funded_amount_local_micro: {
      holds: hasType('INSERTION_ORDER', 'PARTNER_MANAGED'),
      says: 'may only be sent with the types INSERTION_ORDER and PARTNER_MANAGED',
    },
  },
  reads: {
    account_id: reads(idKind, 'r.account_id', { always: true }),
    spent: reads(
      microsKind(),
      `coalesce((select s.spent from ads_spend s where s.entity_id = coalesce(r.credit_line_id, r.id) and s.day = 'infinity'), 0)`,
      { hidden: true, always: true },
    ),
    blocks: reads(blocksKind, blocksSql('funding_instrument', 'r.id'), { hidden: true }),
  },
  shown: {
    credit_remaining_local_micro: {
      schema: { ...Type.Integer({ format: 'int64' }), nullable: true },
      show: (record) =>
        hasType('CREDIT_LINE', 'AGENCY_CREDIT_LINE')(record) && record.credit_limit_local_micro !== null
          ? Math.max(0, record.credit_limit_local_micro - record.spent)
          : null,
    },
    able_to_fund: { schema: Type.Boolean(), show: (record, now) => reasonsAt(record.blocks, now).length === 0 },
    reasons_not_able_to_fund: {
      schema: Type.Array(words(REASONS)),
      show: (record, now) => reasonsAt(record.blocks, now),
    },
  },
  filters: {
    funding_instrument_ids: idsFilter('r.id'),
  },
  sorts: ['created_at', 'updated_at', 'deleted', 'funded_amount_local_micro', 'start_time', 'end_time'],
  may: { see: 'see campaigns', manage: 'change settings' },
  readLimit: 'core reads',
  operations: {
    list: 'listFundingInstruments',
    get: 'getFundingInstrument',
    create: 'createSandboxFundingInstrument',
    update: replaced({
      id: 'updatePartnerManagedFundingInstrument',
      summary: 'Update a partner-managed funding instrument',
      params: partnerManaged,
      allowlist: 'partner_funding',
      handle: updatePartnerManaged,
    }),
    delete: 'deleteSandboxFundingInstrument',
  },
  sandboxOnly: ['create', 'delete'],
  check: ({ start_time, end_time }) => windowErrors(start_time, end_time),
})

/** Changes the members that partners may change of the instruments that they manage. */
async function updatePartnerManaged(input: AdsInput<ValuesOf<typeof partnerManaged>>): Promise<AdsAnswer> {
  const instrument = await findRecord(fundingInstruments, input)
  if (instrument.type !== 'PARTNER_MANAGED')
    throw refusal('FUNDING_INSTRUMENT_ACCESS_NOT_ALLOWED', 'The funding instrument is not managed by a partner', {
      parameter: 'funding_instrument_id',
    })
  const { funded_amount_local_micro: funded, paused } = input.params
  if (funded === undefined && paused === undefined)
    throw new AdsProblem([invalidParameter('funded_amount_local_micro', 'send funded_amount_local_micro or paused')])
  const given = {
    ...(funded === undefined ? {} : { funded_amount_local_micro: funded }),
    ...(paused === undefined ? {} : { entity_status: paused ? ('PAUSED' as const) : ('ACTIVE' as const) }),
  }
  const record = await changeRecord(fundingInstruments, input, { kind: 'update', id: instrument.id, given })
  return { data: fundingInstruments.toReply(record, input.runtime.clock.now()) }
}

import { lineItems } from '../campaigns/line-item.entity.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { invalidParameter } from '../kit/errors.ts'
import { field, idsFilter, oneOf, reference } from '../kit/field.ts'
import { webAddressKind } from './web-address.ts'

/** The button on a pre-roll video. */
export const prerollCallToActions = defineAdsEntity({
  name: 'preroll_call_to_action',
  plural: 'preroll_call_to_actions',
  tag: 'Preroll Call To Actions',
  component: 'PrerollCallToAction',
  table: 'ads_preroll_call_to_action',
  counted: true,
  notFound: 'NOT_FOUND',
  fields: {
    line_item_id: reference(() => lineItems, { required: true, createOnly: true }),
    call_to_action: oneOf(['GO_TO', 'SEE_MORE', 'SHOP', 'VISIT_SITE', 'WATCH_NOW'], { required: true }),
    call_to_action_url: field(webAddressKind, { required: true }),
  },
  filters: {
    line_item_ids: idsFilter('r.line_item_id'),
    preroll_call_to_action_ids: idsFilter('r.id'),
  },
  sorts: ['created_at', 'updated_at', 'deleted'],
  may: { see: 'see creatives', manage: 'manage creatives' },
  operations: {
    list: 'listPrerollCallToActions',
    get: 'getPrerollCallToAction',
    create: 'createPrerollCallToAction',
    update: 'updatePrerollCallToAction',
    delete: 'deletePrerollCallToAction',
  },
  check: (_, { parents, isCreate }) =>
    isCreate && parents.line_item_id.objective !== 'PREROLL_VIEWS'
      ? [invalidParameter('line_item_id', 'must be a line item with the objective PREROLL_VIEWS')]
      : [],
})

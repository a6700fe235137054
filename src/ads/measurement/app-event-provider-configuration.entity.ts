import { Type } from '../../api-kit/declaring/schema.ts'
import { statement } from '../../storage/statement.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { invalidParameter, refusal } from '../kit/errors.ts'
import { idsFilter, text } from '../kit/field.ts'

const configured = statement(
  'ads_app_event_provider_configured',
  { id: 'int8' },
  'select id from ads_app_event_provider_configuration where account_id = $1 and not deleted',
)

/** The measurement partner of an account, and the account's name there. The partner is the app that makes the call. */
export const appEventProviderConfigurations = defineAdsEntity({
  name: 'app_event_provider_configuration',
  plural: 'app_event_provider_configurations',
  tag: 'App Event Provider Configurations',
  component: 'AppEventProviderConfiguration',
  table: 'ads_app_event_provider_configuration',
  notFound: 'APP_EVENT_PROVIDER_CONFIGURATION_NOT_FOUND',
  path: '/11/accounts/{account_id}/app_event_provider_configurations',
  idName: 'id',
  fields: {
    provider_name: text({ readOnly: true, always: true, initial: ({ caller }) => caller.app.name }),
    provider_advertiser_id: text({ min: 1, max: 255, required: true, createOnly: true }),
  },
  shown: {
    provider_advertiser_identifier: {
      schema: Type.String(),
      show: ({ provider_advertiser_id: id }) => id,
    },
  },
  filters: { ids: idsFilter('r.id') },
  sorts: ['created_at', 'updated_at', 'deleted'],
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  forConversions: true,
  operations: {
    list: 'listAppEventProviderConfigurations',
    get: 'getAppEventProviderConfiguration',
    create: {
      id: 'createAppEventProviderConfiguration',
      handle: async (input, standard) => {
        if (!input.allowlists.has('mobile_measurement'))
          throw refusal(
            'NO_PROVIDER_AVAILABLE_FOR_THIS_CLIENT_APPLICATION',
            'The client application is not a measurement partner',
            { details: 'the app is not on the allowlist mobile_measurement' },
          )
        return standard(input)
      },
    },
    delete: 'deleteAppEventProviderConfiguration',
  },
  checkAll: async (tx, changes) => {
    const isTaken =
      changes[0]!.kind === 'create' && (await configured.first(tx, changes[0]!.context.account.id)) !== undefined
    return changes.map(({ record }) =>
      isTaken
        ? [
            invalidParameter(
              'provider_advertiser_id',
              'the account has a measurement partner already, and can have one; delete its configuration first',
              record.provider_advertiser_id,
            ),
          ]
        : [],
    )
  },
})

import { isStoreNumber, packageNameKind } from '../app-store-ids.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { AdsError, invalidParameter } from '../kit/errors.ts'
import { flag, idsFilter, oneOf, reads, text, whole } from '../kit/field.ts'
import { timeKind } from '../kit/values.ts'
import { APP_CONVERSION_TYPES, CLICK_WINDOWS, OS_TYPES, type OsType, VIEW_WINDOWS } from './conversion-types.data.ts'
import { tagStatus } from './web-event-tag.entity.ts'

/** Something that people do in an app, as the account's measurement partner names it. There is no update. */
export const appEventTags = defineAdsEntity({
  name: 'app_event_tag',
  plural: 'app_event_tags',
  tag: 'App Event Tags',
  component: 'AppEventTag',
  table: 'ads_app_event_tag',
  notFound: 'APP_EVENT_TAG_NOT_FOUND',
  fields: {
    app_store_identifier: text({ min: 1, max: 255, required: true, createOnly: true }),
    os_type: oneOf(OS_TYPES, { required: true, createOnly: true }),
    conversion_type: oneOf(APP_CONVERSION_TYPES, { required: true, createOnly: true }),
    provider_app_event_id: text({ min: 1, max: 255, required: true, createOnly: true }),
    provider_app_event_name: text({ min: 1, max: 255, required: true, createOnly: true }),
    deep_link_scheme: text({ min: 1, max: 255, createOnly: true }),
    post_engagement_attribution_window: whole({ among: CLICK_WINDOWS, initial: 30, createOnly: true }),
    post_view_attribution_window: whole({ among: VIEW_WINDOWS, initial: 1, createOnly: true }),
    retargeting_enabled: flag({ initial: true, createOnly: true }),
  },
  reads: { last_tracked_at: reads(timeKind, 'r.last_tracked_at') },
  shown: { status: tagStatus },
  filters: { app_event_tag_ids: idsFilter('r.id') },
  sorts: [
    'created_at',
    'updated_at',
    'deleted',
    'post_view_attribution_window',
    'post_engagement_attribution_window',
    'assisted_conversion',
    'provider_app_event_name',
  ],
  // No record has this attribute, so the order of creation is left.
  sortAs: { assisted_conversion: 'created_at' },
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  forConversions: true,
  operations: {
    list: 'listAppEventTags',
    get: 'getAppEventTag',
    create: 'createAppEventTag',
    delete: 'deleteAppEventTag',
  },
  check: (draft) => {
    const { post_engagement_attribution_window: engagement, post_view_attribution_window: view } = draft
    return [
      ...appIdErrors('app_store_identifier', draft.os_type, draft.app_store_identifier),
      ...(view > engagement
        ? [invalidParameter('post_view_attribution_window', 'must not exceed post_engagement_attribution_window', view)]
        : []),
    ]
  },
})

/** The id of an app has the form of its store: a package name on platform A, a number on platform B. */
export function appIdErrors(parameter: string, osType: OsType, id: string): AdsError[] {
  const fits = osType === 'PLATFORM_B' ? isStoreNumber(id) : typeof packageNameKind.read(id, parameter) === 'string'
  const says = osType === 'PLATFORM_B' ? 'must be the number of the app in the store' : 'must be a package name'
  return fits
    ? []
    : [
        new AdsError('INVALID_APP_ID', 'The app id is not valid', {
          parameter,
          details: `${says} with the os_type ${osType}`,
          value: id.slice(0, 200),
        }),
      ]
}

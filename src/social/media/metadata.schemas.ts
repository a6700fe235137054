import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import { MediaId } from '../ids.ts'

const Text = Type.String()
const optional = Type.Optional
const CountryCodes = (bounds: { minItems: number; maxItems?: number }) =>
  Type.Array(Type.String({ pattern: '^[a-zA-Z]{2}$' }), bounds)
const Anyone = optional(Type.Array(words(['Any'])))

const SOME = { minItems: 1 }
const NONE = { minItems: 0, maxItems: 0 }
const geoList = (blocked: { minItems: number }, allowed: { minItems: number }) =>
  Type.Object({ blacklisted_country_codes: CountryCodes(blocked), whitelisted_country_codes: CountryCodes(allowed) })

/** The metadata of a media item. */
export const mediaMetadata = {
  allow_download_status: optional(
    component('AllowDownloadStatus', Type.Object({ allow_download: optional(Type.Boolean()) })),
  ),
  alt_text: optional(component('AltText', Type.Object({ text: Type.String({ maxLength: 1000 }) }))),
  audience_policy: optional(
    component('AudiencePolicy', Type.Object({ creator_subscriptions: Anyone, x_subscriptions: Anyone })),
  ),
  content_expiration: optional(
    component('ContentExpiration', Type.Object({ timestamp_sec: Type.Number({ format: 'long' }) })),
  ),
  domain_restrictions: optional(component('DomainRestrictions', Type.Object({ whitelist: Type.Array(Text) }))),
  found_media_origin: optional(component('FoundMediaOrigin', Type.Object({ id: Text, provider: Text }))),
  geo_restrictions: optional(
    component('GeoRestrictions', Type.Unsafe<object>({ oneOf: [geoList(NONE, SOME), geoList(SOME, NONE)] })),
  ),
  management_info: optional(component('ManagementInfo', Type.Object({ managed: Type.Boolean() }))),
  preview_image: optional(
    component(
      'PreviewImage',
      Type.Object({
        media_key: Type.Object({
          media: optional(MediaId),
          media_category: optional(words(['PostImage'])),
        }),
      }),
    ),
  ),
  sensitive_media_warning: optional(
    component(
      'SensitiveMediaWarning',
      Type.Object({
        adult_content: optional(Type.Boolean()),
        graphic_violence: optional(Type.Boolean()),
        other: optional(Type.Boolean()),
      }),
    ),
  ),
  shared_info: optional(component('SharedInfo', Type.Object({ shared: Type.Boolean() }))),
  sticker_info: optional(
    component(
      'StickerInfo',
      Type.Object({
        stickers: Type.Array(
          component(
            'Sticker',
            Type.Object({
              aspect_ratio: optional(Type.Number({ format: 'double' })),
              group_annotation_id: optional(Type.Number({ format: 'long' })),
              id: optional(Text),
              sticker_set_annotation_id: optional(Type.Number({ format: 'long' })),
              transform_a: optional(Type.Number({ format: 'double' })),
              transform_b: optional(Type.Number({ format: 'double' })),
              transform_c: optional(Type.Number({ format: 'double' })),
              transform_d: optional(Type.Number({ format: 'double' })),
              transform_tx: optional(Type.Number({ format: 'double' })),
              transform_ty: optional(Type.Number({ format: 'double' })),
            }),
          ),
        ),
      }),
    ),
  ),
  upload_source: optional(component('UploadSource', Type.Object({ upload_source: Text }))),
}

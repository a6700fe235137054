import { Type, words } from '../../api-kit/declaring/schema.ts'
import type { DraftChange, RecordOf } from '../kit/entity.ts'
import { AdsError } from '../kit/errors.ts'
import { field, flag, listOf, oneOf, reads, text, whole } from '../kit/field.ts'
import { idKind, oneOfKind, toBase36 } from '../kit/values.ts'
import { segmentsKind } from './audience-segments.ts'

export const AUDIENCE_NOT_FOUND = 'TAILORED_AUDIENCE_NOT_FOUND'
export const REASONS = ['PROCESSING', 'TOO_SMALL'] as const
export const PERMISSION_LEVELS = ['READ_ONLY', 'READ_WRITE'] as const

const TYPES = ['CRM', 'FLEXIBLE', 'MOBILE_AUDIENCE', 'WEB'] as const

export const audienceFields = {
  name: text({ min: 1, max: 255, required: true }),
  description: text(),
  audience_type: oneOf(TYPES, { required: true, accepts: oneOfKind(['FLEXIBLE', 'MOBILE_AUDIENCE']) }),
  segments: field(segmentsKind, { createOnly: true, hidden: true }),
  audience_size: whole({ readOnly: true }),
  targetable: flag({ readOnly: true, initial: false }),
  reasons_not_targetable: listOf(oneOfKind(REASONS), { readOnly: true, always: true, initial: () => [...REASONS] }),
}

export const audienceReads = (owner: string, level: string) => ({
  account_id: reads(idKind, 'r.account_id', { hidden: true, always: true }),
  owner_account_id: reads(idKind, owner, { always: true }),
  permission_level: reads(oneOfKind(PERMISSION_LEVELS), level, { always: true }),
  tag_id: reads(idKind, 'r.tag_id', { hidden: true }),
})

type F = typeof audienceFields
type R = ReturnType<typeof audienceReads>
export type CustomAudience = RecordOf<F, R>
export type CustomAudienceChange = DraftChange<F, R>

const shown = {
  targetable_types: {
    schema: Type.Array(words(TYPES.flatMap((type) => [type, `EXCLUDED_${type}`]))),
    show: ({ audience_type: type }: CustomAudience) => [type, `EXCLUDED_${type}`],
  },
  is_owner: {
    schema: Type.Boolean(),
    show: ({ owner_account_id: owner, account_id: account }: CustomAudience) => owner === account,
  },
  partner_source: { schema: Type.String(), show: () => 'OTHER' },
  // Only flexible audiences have it.
  metadata: {
    schema: Type.Optional(
      Type.Array(
        Type.Object({
          custom_audience_id: Type.String(),
          account_id: Type.String(),
          name: Type.String(),
          audience_source: Type.String(),
          upload_status: Type.String(),
          segments: segmentsKind.schema,
        }),
      ),
    ),
    show: ({ id, owner_account_id: owner, name, segments }: CustomAudience) =>
      segments
        ? [
            {
              custom_audience_id: toBase36(id),
              account_id: toBase36(owner),
              name,
              audience_source: 'FLEXIBLE_AUDIENCE',
              upload_status: 'UPLOADED',
              segments,
            },
          ]
        : undefined,
  },
}

/** What the entities of audiences have in common. */
export const audienceShape = {
  name: 'custom_audience',
  plural: 'custom_audiences',
  tag: 'Custom Audiences',
  component: 'CustomAudience',
  notFound: AUDIENCE_NOT_FOUND,
  fields: audienceFields,
  shown,
  may: { see: 'see audiences', manage: 'manage audiences' },
} as const

/** The error for an operation that the type of the audience does not allow. */
export const wrongType = (parameter: string, details: string, value?: unknown): AdsError =>
  new AdsError('INVALID_TAILORED_AUDIENCE_TYPE', 'The type of the audience does not allow this', {
    parameter,
    details,
    ...(value === undefined ? {} : { value }),
  })

import { type TSchema, Type } from '../../api-kit/declaring/schema.ts'

// Values that several sections of a world file have.

export const optional = Type.Optional
export const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description }) as T
export const text = (description: string, bounds: { minLength?: number; maxLength: number }) =>
  Type.String({ ...bounds, description })
export const list = <T extends TSchema>(item: T, maxItems: number, description: string) =>
  Type.Array(item, { maxItems, description })

export const Id = Type.String({ pattern: '^[1-9][0-9]{0,18}$', description: 'A fixed id, up to 19 digits.' })
export const Key = text('A name for references in this file. It is not shown to clients.', {
  minLength: 1,
  maxLength: 200,
})
export const UserRef = Type.String({
  pattern: '^@?[A-Za-z0-9_]{1,19}$',
  description: 'A user: the username, or the id of a user who exists already.',
})
export const AppRef = text('An app: its key, name or id.', { minLength: 1, maxLength: 200 })
export const PostRef = text('A post: its key or id.', { minLength: 1, maxLength: 200 })
export const Moment = Type.String({
  pattern: '^(now|[+-]([0-9]{1,9}(ms|s|m|h|d|w))+|[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9]{2}:?[0-9]{2})?)?)$',
  description: 'A time: "-2h", "-1d12h", "now", or 2026-01-31T08:00:00Z. Relative times count from now.',
})
export const WebAddress = text('An http or https address.', { maxLength: 500 })
export const Secret = (what: string) =>
  Type.String({
    pattern: '^[\\x21-\\x7e]+$',
    minLength: 1,
    maxLength: 500,
    description: `${what}; generated if absent.`,
  })

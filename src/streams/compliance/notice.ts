import { ProblemSchema } from '../../api-kit/declaring/reply.ts'
import { component, type TSchema, Type } from '../../api-kit/declaring/schema.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import { compileWriter } from '../../api-kit/writing/writer.ts'

/** A kind of notice: an object with one member, whose name is the kind and whose value has the facts. */
interface NoticeKind {
  schema: TSchema
  /** Writes a line of a stream. */
  write(facts: object, naming: Naming): string
}

/** Declares a kind of notice; `name` is its component. */
export function noticeKind(member: string, name: string, facts: TSchema): NoticeKind {
  const schema = component(name, Type.Object({ [member]: facts }))
  const line = Type.Object({ data: schema })
  const writers: ((value: unknown) => string)[] = []
  return {
    schema,
    write: (value, naming) => {
      writers[naming.index] ??= compileWriter(line, naming) as (value: unknown) => string
      return writers[naming.index]!({ data: { [member]: value } })
    },
  }
}

/** A notice for clients that store data of the interface. */
export interface Notice {
  kind: NoticeKind
  facts: object
  /** The id that decides the partition. */
  of: string
}

const oneOf = (schemas: TSchema[]) => Type.Unsafe<unknown>({ oneOf: schemas })

/** The lines of a stream of notices: a notice, or the reason of a disconnect. */
export const noticeReply = (name: string, data: TSchema): TSchema =>
  component(name, oneOf([Type.Object({ data }), Type.Object({ errors: Type.Array(ProblemSchema, { minItems: 1 }) })]))

/** One of several kinds. */
export const oneNotice = (name: string, kinds: Record<string, NoticeKind>): TSchema =>
  component(name, oneOf(Object.values(kinds).map((kind) => kind.schema)))

import type { TSchema } from '../../src/api-kit/declaring/schema.ts'
import type { Difference } from '../contract/compare-interface.ts'
import type { ReferenceOperation } from './reference-document.ts'

/** What an operation declares that the reference describes too. */
export interface DeclaredOperation {
  id: string
  method: string
  path: string
  tag: string
  params: Record<string, { required: boolean; kind: { schema: TSchema } }>
  /** One record of the answer. */
  data: TSchema | undefined
}

/**
 * Compares declared operations with those of the reference: routes, tags, parameters, their words, members of records.
 * An operation that only one side has is one difference; nothing inside it is compared.
 */
export function compareOperations(
  declared: readonly DeclaredOperation[],
  reference: ReadonlyMap<string, ReferenceOperation>,
): Difference[] {
  const ours = new Map(declared.map((operation) => [operation.id, operation]))
  return [...new Set([...ours.keys(), ...reference.keys()])].flatMap((id) => {
    const [own, given] = [ours.get(id), reference.get(id)]
    return own && given ? compareOperation(own, given) : presence(id, own !== undefined, given !== undefined)
  })
}

function compareOperation(own: DeclaredOperation, given: ReferenceOperation): Difference[] {
  const { id } = own
  const parameters = new Map(given.parameters.map((parameter) => [parameter.name, parameter]))
  const names = new Set([...Object.keys(own.params), ...parameters.keys()])
  return [
    ...differ(`${id} route`, `${own.method} ${own.path}`, `${given.method} ${given.path}`),
    ...differ(`${id} tag`, own.tag, given.tag),
    ...[...names].flatMap((name) => {
      const [param, parameter] = [own.params[name], parameters.get(name)]
      const at = `${id} parameter ${name}`
      if (!param || !parameter) return presence(at, param !== undefined, parameter !== undefined)
      return [
        ...presence(`${at} required`, param.required, parameter.required),
        ...compareWords(at, param.kind.schema, parameter.schema),
      ]
    }),
    // Members that only the reference has are absent from some records; the replies show those that there are.
    ...membersOf(own.data)
      .filter((name) => given.members && !given.members.includes(name))
      .flatMap((name) => presence(`${id} member ${name}`, true, false)),
  ]
}

/** Only where the reference lists the words; elsewhere the words are our choice. */
function compareWords(at: string, own: TSchema, given: TSchema): Difference[] {
  const wordsOf = (schema: TSchema) =>
    (schema.enum ?? (schema.items as TSchema | undefined)?.enum) as string[] | undefined
  const expected = wordsOf(given)
  if (!expected) return []
  const words = wordsOf(own)
  if (!words) return presence(`${at} words`, false, true)
  return [...new Set([...words, ...expected])].flatMap((word) =>
    presence(`${at} word ${word}`, words.includes(word), expected.includes(word)),
  )
}

const membersOf = (data: TSchema | undefined): string[] =>
  data === undefined || data.type === 'array' ? [] : Object.keys((data.properties ?? {}) as object)

const differ = (at: string, ours: string, reference: string): Difference[] =>
  ours === reference ? [] : [{ at, ours, reference }]

const presence = (at: string, ours: boolean, reference: boolean): Difference[] =>
  differ(at, ours ? 'yes' : 'no', reference ? 'yes' : 'no')

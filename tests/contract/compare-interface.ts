// biome-ignore lint/suspicious/noExplicitAny: OpenAPI documents are walked as they are.
export type Json = Record<string, any>

/** One fact in which two descriptions of the interface differ. */
export interface Difference {
  /** Operation and part, or the reference's component and member. */
  at: string
  ours: string
  reference: string
}

/** What a schema says besides its members. */
const FACTS = [
  'type',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'default',
  'nullable',
  'additionalProperties',
  'discriminator',
] as const

const METHODS = ['get', 'post', 'put', 'delete', 'patch']

/** Every operation of a document with its path and method. */
export function operationsOf(document: Json): { path: string; method: string; operation: Json }[] {
  return Object.entries(document.paths as Json).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, method, operation: item[method] as Json })),
  )
}

/**
 * Compares the operations that `ours` has with the reference. Where the reference refers to a component, what differs
 * inside it is reported once, under the component's name; the names of our components do not matter.
 */
export function compareInterfaces(ours: Json, reference: Json): Difference[] {
  const found = new Map<string, Difference>()
  const compared = new Set<string>()

  const differ = (at: string, left: unknown, right: unknown) => {
    const difference = { at, ours: shown(left), reference: shown(right) }
    if (difference.ours !== difference.reference) found.set(Object.values(difference).join(' | '), difference)
  }

  const compareSchema = (left: Json, right: Json, at: string): void => {
    const position = nameOf(right) ?? at
    const mine = plain(ours, left)
    const theirs = plain(reference, right)
    const pair = `${nameOf(left) ?? JSON.stringify(mine)} | ${position}`
    if (compared.has(pair)) return
    compared.add(pair)
    for (const fact of FACTS) differ(`${position} ${fact}`, factOf(mine, fact), factOf(theirs, fact))
    for (const value of union(mine.enum, theirs.enum))
      differ(`${position} enum ${value}`, (mine.enum ?? []).includes(value), (theirs.enum ?? []).includes(value))
    for (const member of union(Object.keys(mine.properties ?? {}), Object.keys(theirs.properties ?? {}))) {
      const [own, other] = [mine.properties?.[member], theirs.properties?.[member]]
      if (!own || !other) {
        differ(`${position}.${member}`, own !== undefined, other !== undefined)
        continue
      }
      differ(`${position}.${member} required`, requires(mine, member), requires(theirs, member))
      compareSchema(own, other, `${position}.${member}`)
    }
    for (const key of ['items', 'additionalProperties'] as const)
      if (isObject(mine[key]) && isObject(theirs[key])) compareSchema(mine[key], theirs[key], `${position}[]`)
    for (const key of ['oneOf', 'anyOf'] as const) {
      differ(`${position} ${key}`, mine[key]?.length, theirs[key]?.length)
      for (const [index, item] of (theirs[key] ?? []).entries())
        if (mine[key]?.[index]) compareSchema(mine[key][index], item, `${position} ${key} ${index}`)
    }
  }

  const compareContent = (left: Json | undefined, right: Json | undefined, at: string): void => {
    for (const type of union(Object.keys(left?.content ?? {}), Object.keys(right?.content ?? {}))) {
      const [own, other] = [left?.content?.[type], right?.content?.[type]]
      if (own && other) compareSchema(own.schema, other.schema, at)
      else differ(`${at} ${type}`, own !== undefined, other !== undefined)
    }
  }

  const compareParameters = (left: Json[], right: Json[], id: string): void => {
    const key = (parameter: Json) => `${parameter.in} ${parameter.name}`
    const mine = new Map(left.map((item) => [key(plain(ours, item)), plain(ours, item)]))
    const theirs = new Map(right.map((item) => [key(plain(reference, item)), item]))
    for (const name of union([...mine.keys()], [...theirs.keys()])) {
      const own = mine.get(name)
      const given = theirs.get(name)
      const at = (given && nameOf(given)) ?? `${id} ${name}`
      if (!own || !given) {
        differ(`${id} ${name}`, own !== undefined, given !== undefined)
        continue
      }
      const other = plain(reference, given)
      differ(`${at} required`, own.required === true, other.required === true)
      differ(`${at} explode`, own.explode, other.explode)
      differ(`${at} style`, own.style, other.style)
      compareSchema(own.schema, other.schema, at)
    }
  }

  for (const { path, method, operation } of operationsOf(ours)) {
    const given: Json | undefined = reference.paths[path]?.[method]
    const id = operation.operationId as string
    if (!given) {
      differ(`${method.toUpperCase()} ${path}`, true, false)
      continue
    }
    differ(`${id} operationId`, id, given.operationId)
    const [mine, theirs] = [securityOf(operation), securityOf(given)]
    for (const kind of union([...mine.keys()], [...theirs.keys()]))
      differ(`${id} security ${kind}`, mine.get(kind), theirs.get(kind))
    compareParameters(operation.parameters ?? [], given.parameters ?? [], id)
    differ(`${id} body`, operation.requestBody !== undefined, given.requestBody !== undefined)
    differ(`${id} body required`, operation.requestBody?.required === true, given.requestBody?.required === true)
    compareContent(operation.requestBody, given.requestBody, `${id} body`)
    const [status, theirStatus] = [successOf(operation), successOf(given)]
    differ(`${id} status`, status, theirStatus)
    compareContent(operation.responses[status], given.responses[theirStatus], `${id} reply`)
    compareContent(operation.responses.default, given.responses.default, `${id} failure`)
  }
  return [...found.values()]
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
const shown = (value: unknown): string =>
  value === undefined || value === false
    ? 'no'
    : value === true
      ? 'yes'
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)
const union = <T>(left: readonly T[] | undefined, right: readonly T[] | undefined): T[] => [
  ...new Set([...(left ?? []), ...(right ?? [])]),
]
const nameOf = (node: Json): string | undefined => (node.$ref as string | undefined)?.split('/').at(-1)
const requires = (schema: Json, member: string): boolean => (schema.required ?? []).includes(member)
const successOf = (operation: Json): string => Object.keys(operation.responses).find((status) => status !== 'default')!

function factOf(schema: Json, fact: (typeof FACTS)[number]): unknown {
  if (fact === 'discriminator') return schema.discriminator !== undefined
  if (fact === 'additionalProperties') {
    if (schema.type !== 'object' || schema.additionalProperties === undefined) return 'not said'
    return isObject(schema.additionalProperties) ? 'a schema' : String(schema.additionalProperties)
  }
  return schema[fact]
}

function securityOf(operation: Json): Map<string, string> {
  const rules = (operation.security ?? []) as Record<string, string[]>[]
  return new Map(
    rules.flatMap((rule) =>
      Object.entries(rule).map(([kind, scopes]) => [kind, [...scopes].sort().join(' ') || 'taken']),
    ),
  )
}

/** A node with its reference followed and its `allOf` parts joined. */
function plain(document: Json, node: Json): Json {
  let target = node
  if (node.$ref !== undefined) {
    target = document
    for (const step of (node.$ref as string).slice(2).split('/')) target = target[step]
    return plain(document, target)
  }
  if (!Array.isArray(target.allOf)) return target
  const { allOf, ...rest } = target
  const joined: Json = {}
  for (const part of [...allOf.map((item: Json) => plain(document, item)), rest]) {
    const properties = { ...joined.properties, ...part.properties }
    const required = union<string>(joined.required, part.required)
    Object.assign(joined, part)
    if (Object.keys(properties).length > 0) joined.properties = properties
    if (required.length > 0) joined.required = required
  }
  return joined
}

/** The reference in the legacy naming, by its own tables of names. */
export function legacyReference(reference: Json): Json {
  const names = new Map<string, string>(Object.entries(reference['x-legacy-names']))
  const fixed = new Set<string>(reference['x-fixed-names'].map((item: { at: string }) => item.at))
  // A path's method `post` is not a word of the product.
  const isMethod = (at: string) => /^\/paths\/[^/]+\/[^/]+$/.test(at)
  const spell = (name: string, at: string) => (fixed.has(at) || isMethod(at) ? name : (names.get(name) ?? name))
  const walk = (node: unknown, at: string): unknown => {
    if (typeof node === 'string') return spell(node, at)
    if (Array.isArray(node)) return node.map((item, index) => walk(item, `${at}/${index}`))
    if (!isObject(node)) return node
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => {
        const below = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
        return [spell(key, below), key === 'operationId' || key.startsWith('x-') ? value : walk(value, below)]
      }),
    )
  }
  return walk(reference, '') as Json
}

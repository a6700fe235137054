import path from 'node:path'
import { expect, test } from 'vitest'
import type { ObjectType } from '../../src/api-kit/declaring/object.ts'
import { componentName, type TSchema } from '../../src/api-kit/declaring/schema.ts'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import { reachableObjects } from '../../src/api-kit/reading/selection.ts'
import { families } from '../../src/app.ts'
import { SCOPES } from '../../src/identity/oauth2/scopes.ts'
import { legacyNaming } from '../../src/legacy-words.ts'
import { ROOT, sourceFiles } from './source-files.ts'

const { operations } = families[0]

const isObjectType = (value: unknown): value is ObjectType =>
  typeof value === 'object' && value !== null && 'plural' in value && 'fields' in value && 'expansions' in value

const objects: ObjectType[] = []
for (const file of sourceFiles('.object.ts')) {
  const exported = (await import(path.join(ROOT, 'src', file.name))) as Record<string, unknown>
  objects.push(...Object.values(exported).filter(isObjectType))
}

/** Every schema of the interface with the operation or object that contains it. */
function* schemas(): Generator<[holder: string, schema: TSchema]> {
  for (const operation of operations) {
    yield [operation.id, operation.reply]
    if (operation.body) yield [operation.id, operation.body]
    for (const schema of Object.values(operation.pathSchemas)) yield [operation.id, schema]
    for (const [name, parameter] of Object.entries(operation.query))
      for (const described of parameter.describe(name)) yield [operation.id, described.schema]
  }
  for (const object of objects) yield [object.name, object.schema]
}

function* inside(schema: TSchema): Generator<TSchema> {
  yield schema
  for (const member of Object.values((schema.properties ?? {}) as Record<string, TSchema>)) yield* inside(member)
  if (schema.items) yield* inside(schema.items as TSchema)
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const part of (schema[key] ?? []) as TSchema[]) yield* inside(part)
}

test('components of one name have one schema', () => {
  const known = new Map<string, { holder: string; text: string }>()
  const clashes: string[] = []
  for (const [holder, schema] of schemas())
    for (const part of inside(schema)) {
      const name = componentName(part)
      if (name === undefined) continue
      // Whether the name of a member is fixed, and a bound of ours, belong to the member, not to its component.
      const { 'x-fixed-name': _fixed, 'x-most': _most, ...own } = part
      const text = JSON.stringify(own)
      const first = known.get(name)
      if (!first) known.set(name, { holder, text })
      else if (first.text !== text) clashes.push(`${name} in ${first.holder} and ${holder}`)
    }
  expect(known.size).toBeGreaterThan(20)
  expect([...new Set(clashes)]).toEqual([])
})

test('components of two names keep two names in the legacy naming', () => {
  const names = new Set(
    [...schemas()].flatMap(([, schema]) => [...inside(schema)].flatMap((part) => componentName(part) ?? [])),
  )
  expect(new Set([...names].map(legacyNaming.rename)).size).toBe(names.size)
})

test('every operation has an id of its own, a summary and a tag', () => {
  expect(new Set(operations.map((operation) => operation.id)).size).toBe(operations.length)
  expect(operations.filter((operation) => operation.summary === '' || operation.tag === '')).toEqual([])
})

test('no two operations share a route in either naming', () => {
  for (const naming of [neutral, legacyNaming]) {
    const routes = operations.map((item) => `${item.method} ${naming.rename(item.path).replace(/\{[^}]+\}/g, '{}')}`)
    expect(routes.filter((route, index) => routes.indexOf(route) !== index)).toEqual([])
  }
})

test('every part of a path has a schema, and every schema a part', () => {
  for (const operation of operations) {
    const parts = [...operation.path.matchAll(/\{([^}]+)\}/g)].map((hit) => hit[1]!)
    expect(Object.keys(operation.pathSchemas).sort(), operation.id).toEqual(parts.sort())
  }
})

test('every operation takes some credential, and only scopes that can be granted', () => {
  for (const { id, auth } of operations) {
    if (auth === 'none') continue
    expect(auth.app === true || auth.oauth1 === true || auth.oauth2 !== undefined, id).toBe(true)
    expect(
      (auth.oauth2 ?? []).filter((scope) => !SCOPES.has(scope)),
      id,
    ).toEqual([])
  }
})

test('every expansion names an object that answers can include', () => {
  expect(objects.length).toBeGreaterThanOrEqual(5)
  const reply = operations.find((operation) => operation.id === 'getPostsById')!.reply
  const groups = Object.keys((reply.properties.includes as TSchema).properties as object)
  for (const object of objects)
    for (const target of reachableObjects(object)) {
      expect(objects, `${object.name} to ${target.name}`).toContain(target)
      // Each object reaches itself; it is included only where an expansion leads back to it.
      const leadsBack = Object.values(object.expansions).some(
        (rule) => rule.via === undefined && rule.target() === object,
      )
      if (target !== object || leadsBack) expect(groups).toContain(target.plural)
    }
})

test('the field that an expansion adds exists', () => {
  const broken = objects.flatMap((object) =>
    Object.entries(object.expansions).flatMap(([name, rule]) =>
      rule.via === undefined && rule.adds !== undefined && !object.fields[rule.adds] ? [`${object.name} ${name}`] : [],
    ),
  )
  expect(broken).toEqual([])
})

test('objects have names, plurals and components of their own', () => {
  for (const of of [
    (item: ObjectType) => item.name,
    (item: ObjectType) => item.plural,
    (item: ObjectType) => componentName(item.schema),
  ])
    expect(new Set(objects.map(of)).size).toBe(objects.length)
})

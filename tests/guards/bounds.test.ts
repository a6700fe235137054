import { describe, expect, test } from 'vitest'
import { AdsError } from '../../src/ads/kit/errors.ts'
import type { AdsOperation } from '../../src/ads/kit/operation.ts'
import { adsOperations } from '../../src/ads/operations.ts'
import { ownBoundOf, type TSchema } from '../../src/api-kit/declaring/schema.ts'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import { compileBody } from '../../src/api-kit/reading/body.ts'
import { DEFAULT_BOUNDS } from '../../src/api-kit/reading/bounds.ts'
import { Problem } from '../../src/api-kit/writing/problem.ts'
import { families } from '../../src/app.ts'
import { commands } from '../../src/control/commands.ts'

const { operations } = families[0]

/** Every body of both interfaces and of the control interface. */
const bodies: [name: string, schema: TSchema][] = [
  ...operations.flatMap(({ id, body }): [string, TSchema][] => (body ? [[id, body]] : [])),
  ...adsOperations.flatMap(({ id, body }): [string, TSchema][] => (body ? [[id, body]] : [])),
  ...commands.map(({ name, args }): [string, TSchema] => [name, args]),
]

const HUGE_TEXT = 'x'.repeat(500_000)
const HUGE_LIST: unknown[] = Array(110_000).fill('1')
const HUGE_MAP = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`member${index}`, 1]))

/** A place in a body, and a value that is beyond its bound there; `wrap` puts it into a body. */
interface Place {
  at: string
  beyond: unknown
  wrap(value: unknown): unknown
}

function* places(schema: TSchema, at = '$', wrap: Place['wrap'] = (value) => value): Generator<Place> {
  const isText = schema.type === 'string' && !schema.enum && schema.const === undefined
  // The largest body of the operation bounds the bytes of media.
  if (isText && schema.format !== 'byte' && schema.format !== 'binary') {
    const most = schema.maxLength ?? ownBoundOf(schema) ?? DEFAULT_BOUNDS.characters
    yield { at, beyond: 'x'.repeat(most + 1), wrap }
    yield { at, beyond: HUGE_TEXT, wrap }
  }
  if (schema.type === 'array') {
    const most = schema.maxItems ?? ownBoundOf(schema) ?? DEFAULT_BOUNDS.items
    yield { at, beyond: Array(most + 1).fill('1'), wrap }
    yield { at, beyond: HUGE_LIST, wrap }
    yield* places(schema.items as TSchema, `${at}[0]`, (value) => wrap([value]))
  }
  if (schema.type === 'object' || schema.properties) {
    yield { at, beyond: HUGE_MAP, wrap }
    for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, TSchema>))
      yield* places(member, `${at}.${name}`, (value) => wrap({ [name]: value }))
  }
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const)
    for (const part of (schema[key] ?? []) as TSchema[]) yield* places(part, at, wrap)
}

describe('every array, map and text of a body has a bound', () => {
  test.each(bodies)('%s', (_name, schema) => {
    const read = compileBody(schema, neutral)
    const accepted: string[] = []
    for (const { at, beyond, wrap } of places(schema)) {
      try {
        read(wrap(beyond))
        accepted.push(at)
      } catch (error) {
        expect(error).toBeInstanceOf(Problem)
        // Not a fault for each item: that is work which grows with what was sent.
        expect(((error as Problem).body.errors as unknown[]).length).toBeLessThanOrEqual(10)
      }
    }
    expect(accepted).toEqual([])
  })
})

describe('every parameter of the advertising interface has a bound', () => {
  const list = HUGE_LIST.join()
  // Many operations share a kind, and reading these values takes long.
  const known = new Map<object, boolean>()
  const isBounded = (name: string, kind: AdsOperation['params'][string]['kind']): boolean => {
    const bounded = known.get(kind) ?? [HUGE_TEXT, list].every((sent) => kind.read(sent, name) instanceof AdsError)
    known.set(kind, bounded)
    return bounded
  }
  test.each(adsOperations.map((operation) => [operation.id, operation] as const))('%s', (_id, { params }) => {
    const accepted = Object.entries(params)
      .filter(([name, { kind }]) => !isBounded(name, kind))
      .map(([name]) => name)
    expect(accepted).toEqual([])
  })
})

test('every query parameter of version 2 has a bound', () => {
  const accepted = operations.flatMap(({ id, query }) =>
    Object.entries(query).flatMap(([own, parameter]) =>
      parameter.describe(own).flatMap(({ name }) => {
        const read = parameter.compile(own, neutral)
        // The head of a request is bounded to 16 KB, so this is more than a client can send.
        return ['x'.repeat(20_000), Array(20_000).fill('x').join()].every((sent) => {
          const faults: Parameters<typeof read>[1] = []
          try {
            read(new Map([[name, [sent]]]), faults)
            return faults.length > 0
          } catch (error) {
            return error instanceof Problem
          }
        })
          ? []
          : [`${id} ${name}`]
      }),
    ),
  )
  expect(accepted).toEqual([])
})

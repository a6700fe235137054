import { describe, expect, test } from 'vitest'
import { type TSchema, Type } from '../../src/api-kit/declaring/schema.ts'
import { added, missing, reportDifferences } from '../contract/list-differences.ts'
import { compareOperations, type DeclaredOperation } from './compare-operations.ts'
import type { ReferenceOperation } from './reference-document.ts'

// Operations of its own: what the product declares does not matter to the tests of the comparison.
const Color = Type.Unsafe<string>({ type: 'string', enum: ['RED', 'BLUE'] })
const kite = (): DeclaredOperation => ({
  id: 'listKites',
  method: 'GET',
  path: '/12/kites',
  tag: 'Kites',
  params: {
    colors: { required: true, kind: { schema: Type.Array(Color) } },
    count: { required: false, kind: { schema: Type.Integer() } },
  },
  data: Type.Object({ id: Type.String(), color: Color }),
})
const reference = new Map<string, ReferenceOperation>([
  [
    'listKites',
    {
      id: 'listKites',
      method: 'GET',
      path: '/12/kites',
      tag: 'Kites',
      parameters: [
        { name: 'colors', required: true, schema: Type.Array(Color) },
        { name: 'count', required: false, schema: Type.Integer() },
      ],
      members: ['id', 'color', 'tail_length'],
    },
  ],
])
const param = (schema: TSchema = Type.String(), required = false) => ({ required, kind: { schema } })

describe('the comparison of advertising operations with the reference', () => {
  test('finds nothing where they agree, also when a member is never shown', () => {
    expect(compareOperations([kite()], reference)).toEqual([])
  })

  test.each<[change: string, edit: (operation: DeclaredOperation) => void, at: string[]]>([
    ['a route', (it) => Object.assign(it, { path: '/12/gliders' }), ['listKites route']],
    ['a tag', (it) => Object.assign(it, { tag: 'Toys' }), ['listKites tag']],
    ['a parameter more', (it) => Object.assign(it.params, { wind: param() }), ['listKites parameter wind']],
    ['a parameter less', (it) => Reflect.deleteProperty(it.params, 'count'), ['listKites parameter count']],
    [
      'what is required',
      (it) => Object.assign(it.params.colors!, { required: false }),
      ['listKites parameter colors required'],
    ],
    [
      'the words of a list',
      (it) => Object.assign(it.params, { colors: param(Type.Array(Type.Unsafe({ enum: ['RED'] })), true) }),
      ['listKites parameter colors word BLUE'],
    ],
    [
      'any word instead of a list',
      (it) => Object.assign(it.params, { colors: param(Type.String(), true) }),
      ['listKites parameter colors words'],
    ],
    [
      'a member more',
      (it) => Object.assign(it, { data: Type.Object({ owner: Type.String() }) }),
      ['listKites member owner'],
    ],
  ])('sees %s', (_change, edit, at) => {
    const operation = kite()
    edit(operation)
    expect(compareOperations([operation], reference).map((item) => item.at)).toEqual(at)
  })

  test('sees an operation that is missing', () => {
    expect(compareOperations([], reference)).toEqual([{ at: 'listKites', ours: 'no', reference: 'yes' }])
  })

  test('accepts operations, parameters, words and members beyond the reference that are listed with a reason', () => {
    const changed = kite()
    changed.params.wind = param()
    changed.params.colors = param(Type.Array(Type.Unsafe({ enum: ['RED', 'BLUE', 'GREEN'] })), true)
    changed.data = Type.Object({ id: Type.String(), owner: Type.String() })
    // A new entity comes with operations of its own, whose records are a component that the reference does not have.
    const found = compareOperations([changed, { ...kite(), id: 'listStrings', path: '/12/strings' }], reference)
    const reason = 'a reason that somebody can read'
    const listed = added(reason, [
      'listKites parameter wind',
      'listKites parameter colors word GREEN',
      'listKites member owner',
      'listStrings',
    ])
    expect(reportDifferences(found, listed, 'the list')).toBe('')
    expect(reportDifferences(found, [...listed, ...missing(reason, ['listRopes'])], 'the list')).toContain(
      '- listRopes',
    )
  })
})

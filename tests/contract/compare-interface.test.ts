import { describe, expect, test } from 'vitest'
import { compareInterfaces, type Json, legacyReference } from './compare-interface.ts'
import { type ListedDifference, reportDifferences, unclearEntries } from './list-differences.ts'

// A small interface of its own: what the product has does not matter to the tests of the comparison.
const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })
const json = (schema: Json) => ({ content: { 'application/json': { schema } } })
const document: Json = {
  info: { version: '1' },
  paths: {
    '/pages': {
      get: {
        operationId: 'listPages',
        security: [{ App: [] }, { User: ['page.read', 'user.read'] }],
        parameters: [
          {
            name: 'ids',
            in: 'query',
            required: true,
            schema: { type: 'array', items: ref('schemas', 'PageId'), maxItems: 100 },
          },
          ref('parameters', 'PageFields'),
          { name: 'sort', in: 'query', schema: { type: 'string' } },
        ],
        responses: {
          200: json({ type: 'object', properties: { data: { type: 'array', items: ref('schemas', 'Page') } } }),
          default: json(ref('schemas', 'Problem')),
        },
      },
      post: {
        operationId: 'createPage',
        security: [{ User: ['page.write'] }],
        requestBody: { required: true, ...json(ref('schemas', 'NewPage')) },
        responses: {
          201: json({ type: 'object', properties: { data: ref('schemas', 'Page') } }),
          default: json(ref('schemas', 'Problem')),
        },
      },
    },
  },
  components: {
    parameters: {
      PageFields: {
        name: 'page.fields',
        in: 'query',
        explode: false,
        schema: { type: 'array', items: { type: 'string', enum: ['id', 'title'] } },
      },
    },
    schemas: {
      PageId: { type: 'string', pattern: '^[0-9]+$' },
      Page: {
        type: 'object',
        required: ['id'],
        properties: { id: ref('schemas', 'PageId'), title: { type: 'string' }, votes: ref('schemas', 'Votes') },
      },
      Votes: { type: 'object', properties: { count: { type: 'integer' } } },
      NewPage: {
        allOf: [
          { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
          { properties: { draft: { type: 'boolean' } } },
        ],
      },
      Problem: { oneOf: [{ type: 'object', properties: { title: { type: 'string' } } }, { type: 'string' }] },
    },
  },
}

const pages = (it: Json) => it.paths['/pages']
const schemas = (it: Json) => it.components.schemas

describe('the comparison of two interfaces', () => {
  test('finds no difference between a document and itself', () => {
    expect(compareInterfaces(structuredClone(document), document)).toEqual([])
  })

  test.each<[change: string, edit: (document: Json) => void, at: string[]]>([
    ['a scope', (it) => pages(it).get.security[1].User.pop(), ['listPages security User']],
    ['a kind of credential', (it) => pages(it).get.security.shift(), ['listPages security App']],
    [
      'an array bound',
      (it) => Object.assign(pages(it).get.parameters[0].schema, { maxItems: 99 }),
      ['listPages query ids maxItems'],
    ],
    [
      'an enumeration value',
      (it) => it.components.parameters.PageFields.schema.items.enum.pop(),
      ['PageFields[] enum title'],
    ],
    ['a parameter', (it) => pages(it).get.parameters.pop(), ['listPages query sort']],
    [
      'whether a parameter is required',
      (it) => Object.assign(pages(it).get.parameters[2], { required: true }),
      ['listPages query sort required'],
    ],
    [
      'how a list is written',
      (it) => Object.assign(it.components.parameters.PageFields, { explode: true }),
      ['PageFields explode'],
    ],
    ['a pattern', (it) => Object.assign(schemas(it).PageId, { pattern: '^x$' }), ['PageId pattern']],
    [
      'a member of a body',
      (it) => Object.assign(schemas(it).NewPage.allOf[1].properties, { mood: {} }),
      ['NewPage.mood'],
    ],
    [
      'whether a body is required',
      (it) => Object.assign(pages(it).post.requestBody, { required: false }),
      ['createPage body required'],
    ],
    ['a required member', (it) => Object.assign(schemas(it).Page, { required: [] }), ['Page.id required']],
    [
      'a type deep inside',
      (it) => Object.assign(schemas(it).Votes.properties.count, { type: 'string' }),
      ['Votes.count type'],
    ],
    ['an alternative', (it) => schemas(it).Problem.oneOf.pop(), ['Problem oneOf']],
    [
      'the kind of content',
      (it) => Object.assign(pages(it).post.responses.default, { content: {} }),
      ['createPage failure application/json'],
    ],
    ['an operation id', (it) => Object.assign(pages(it).post, { operationId: 'makePage' }), ['createPage operationId']],
    [
      'a status',
      (it) =>
        Object.assign(pages(it).post, {
          responses: { 200: pages(it).post.responses[201], default: pages(it).post.responses.default },
        }),
      ['createPage status'],
    ],
    ['an operation', (it) => Reflect.deleteProperty(pages(it), 'post'), ['POST /pages']],
  ])('sees a change of %s', (_change, edit, at) => {
    const changed = structuredClone(document)
    edit(changed)
    expect(compareInterfaces(document, changed).map((item) => item.at)).toEqual(at)
  })

  test('reports a difference inside a shared component once', () => {
    const changed = structuredClone(document)
    schemas(changed).Page.properties.title.maxLength = 5
    expect(compareInterfaces(changed, document)).toEqual([{ at: 'Page.title maxLength', ours: '5', reference: 'no' }])
  })

  test('spells a reference in its legacy names, but for methods and the positions that keep theirs', () => {
    const reference = {
      'x-legacy-names': { post: 'note', posts: 'notes' },
      'x-fixed-names': [{ at: '/paths/~1posts/post/tags/0', name: 'posts' }],
      paths: { '/posts': { post: { operationId: 'post', tags: ['posts'], summary: 'post' } } },
    }
    expect(legacyReference(reference).paths).toEqual({
      '/posts': { post: { operationId: 'post', tags: ['posts'], summary: 'note' } },
    })
  })
})

describe('the report of differences', () => {
  const listed: ListedDifference[] = [{ at: 'Page.mood', ours: 'yes', reference: 'no', reason: 'the seed has a mood' }]

  test('is empty when everything that differs is listed', () => {
    expect(reportDifferences([{ at: 'Page.mood', ours: 'yes', reference: 'no' }], listed, 'the list')).toBe('')
  })

  test('names in one message what is not listed and what is listed without need', () => {
    const report = reportDifferences([{ at: 'Page.size', ours: 'yes', reference: 'no' }], listed, 'the list')
    expect(report.split('\n')).toEqual([
      '1 differ from the reference and are not in the list; correct them, or list them with a reason:',
      '  + Page.size | ours: yes | reference: no',
      '1 are in the list and do not differ any more; remove them:',
      '  - Page.mood | ours: yes | reference: no',
    ])
  })

  test('finds entries that are listed twice or without a reason', () => {
    expect(unclearEntries([...listed, ...listed])).toEqual(['Page.mood | ours: yes | reference: no'])
    expect(unclearEntries([{ ...listed[0]!, reason: ' ' }])).toHaveLength(1)
    expect(unclearEntries(listed)).toEqual([])
  })
})

// npm run new-operation -- <operationId> [--folder <folder of src/social>]
// Writes an operation of version 2, its example and its tests from the reference document, and registers it.
import {
  addToExamples,
  addToList,
  Draft,
  exists,
  GeneratorError,
  kebab,
  readJson,
  readText,
  runGenerator,
} from './generate/project.js'
import { REPLY, SCHEMA, SchemaCode } from './generate/schema-code.js'

const USAGE = `npm run new-operation -- <operationId> [--folder <folder>]
npm run new-operation -- --list`
const OPERATION = 'api-kit/declaring/operation.ts'
const PARAMETERS = 'api-kit/declaring/parameters.ts'
const PAGING = 'api-kit/reading/paging.ts'
const TOKEN_KINDS = { PaginationToken36: 'base36', PaginationToken32: 'base32', PaginationTokenLong: 'decimal' }

const reference = readJson('tests/reference/v2.openapi.json')

/** Every operation of the reference with its method and path. */
const described = Object.entries(reference.paths).flatMap(([route, item]) =>
  ['get', 'post', 'put', 'delete']
    .filter((method) => item[method])
    .map((method) => ({ method: method.toUpperCase(), path: route, ...item[method] })),
)

const isBuilt = (id) => new RegExp(`^\\| yes \\| ${id} \\|`, 'm').test(readText('COVERAGE.md'))

export function newOperation(id, { folder, list }) {
  if (list) {
    const left = described.filter((item) => !isBuilt(item.operationId))
    if (left.length === 0) return ['Every operation of the reference is built.']
    return left.map((item) => `${item.operationId}  ${item.method} ${item.path}`)
  }
  const operation = described.find((item) => item.operationId === id)
  if (!operation)
    throw new GeneratorError(
      `The reference has no operation ${id}. \`npm run new-operation -- --list\` lists those that are not built.`,
    )
  if (isBuilt(id)) throw new GeneratorError(`${id} is built already (COVERAGE.md).`)
  const target = folder ?? kebab(operation.tags?.[0] ?? 'general')
  const file = `${kebab(id)}.ts`
  const source = `src/social/${target}/${file}`
  const examples = `tests/contract/examples/${target}.examples.ts`
  const tests = `tests/social/${kebab(id)}.test.ts`

  const draft = new Draft()
  draft.create(source, operationFile(operation, source))
  draft.edit('src/social/operations.ts', (text) =>
    addToList(text, `import { ${id} } from './${target}/${file}'`, 'socialOperations', id),
  )
  if (exists(examples)) draft.edit(examples, (text) => addToExamples(text, exampleEntry(operation)))
  else draft.create(examples, exampleFile(operation, target))
  draft.create(tests, testFile(operation, source))
  return [
    ...draft.write(),
    '',
    'Left to do:',
    `- ${source}: summary, handler, and every line with TODO. Reuse schemas that exist; the SQL goes to a .statements.ts file.`,
    `- ${examples}: a call of ${id} that succeeds. The contract tests are red until it does.`,
    `- ${tests}: replace the TODO values and each test.todo.`,
    `- npx vitest run tests/contract tests/guards ${tests}`,
    '- npm run coverage-page',
  ]
}

function operationFile(operation, source) {
  const code = new SchemaCode(reference)
  code.use(OPERATION, 'defineOperation')
  const members = [
    `id: '${operation.operationId}'`,
    `route: '${operation.method} ${operation.path}'`,
    `tag: '${operation.tags?.[0] ?? 'General'}'`,
    todo('say in one line what it does, like the operations around it'),
    `summary: 'TODO'`,
    `auth: ${authCode(operation)}`,
    limitCode(operation),
    pathCode(operation, code),
    queryCode(operation, code),
    bodyCode(operation, code),
    replySchema(operation) ? '' : todo('the answer is not JSON'),
    `reply: ${replyCode(operation, code)}`,
    successStatus(operation) === '200' ? '' : `status: ${successStatus(operation)}`,
    `handle: async () => {\n    throw new Error('TODO: write the handler of ${operation.operationId} in ${source}')\n  }`,
  ]
  return `${code.importLines(source.replace(/^src\/|\/[^/]+$/g, ''))}

export const ${operation.operationId} = defineOperation({
${lines(members)}})
`
}

const todo = (text) => ({ note: `TODO: ${text}.` })

/** Members with a comma, notes as comments above what follows. */
const lines = (parts) =>
  parts
    .flat()
    .filter(Boolean)
    .map((part) => (part.note ? `// ${part.note}\n` : `${part},\n`))
    .join('')

function authCode(operation) {
  const rules = Object.assign({}, ...(operation.security ?? []))
  const parts = [
    rules.BearerToken && 'app: true',
    rules.UserToken && 'oauth1: true',
    rules.OAuth2UserToken && `oauth2: ${JSON.stringify(rules.OAuth2UserToken)}`,
  ].filter(Boolean)
  return parts.length > 0 ? `{ ${parts.join(', ')} }` : "'none'"
}

function limitCode({ method, path }) {
  const row = readJson('tests/reference/v2-rate-limits.json').find(
    (item) => item.method === method && item.path === path,
  )
  const parts = [
    ['app', row?.per_app],
    ['user', row?.per_user],
  ]
    .filter(([, rule]) => rule?.limit)
    .map(([name, rule]) => `${name}: '${rule.limit}/${windowCode(rule.window_s)}'`)
  return parts.length > 0 ? `limit: { ${parts.join(', ')} }` : todo('the reference has no rate limit for this route')
}

const windowCode = (seconds) =>
  seconds % 3600 === 0 ? `${seconds / 3600}h` : seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`

const parametersOf = (operation, location, code) =>
  (operation.parameters ?? [])
    .map((item) => ({ ref: item.$ref?.split('/').pop(), ...code.resolve(item) }))
    .filter((item) => item.in === location)

function pathCode(operation, code) {
  const parts = parametersOf(operation, 'path', code).map((item) => `${item.name}: ${pathSchema(item.schema, code)}`)
  return parts.length > 0 ? `path: { ${parts.join(', ')} }` : ''
}

// A path that must hold the id of the caller is checked by the handler (`checkOwnPath`).
const pathSchema = (schema, code) =>
  /\/UserId/.test(schema.$ref ?? '') ? code.use('social/ids.ts', 'UserId') : code.code(schema)

function queryCode(operation, code) {
  const all = parametersOf(operation, 'query', code)
  const isSelection = (item) => /(?:Fields|Expansions)Parameter$/.test(item.ref ?? '')
  const token = all.find((item) => TOKEN_KINDS[item.schema.$ref?.split('/').pop()])
  const size = all.find((item) => item.name === 'max_results')
  const parts = []
  if (token && size) {
    code.use(PAGING, 'pages')
    const { minimum, maximum, default: initial } = size.schema
    const kind = TOKEN_KINDS[token.schema.$ref.split('/').pop()]
    parts.push(`...pages({ min: ${minimum}, max: ${maximum}, initial: ${initial ?? maximum}, token: '${kind}' })`)
  }
  for (const item of all)
    if (!isSelection(item) && !(token && size && [token, size].includes(item))) parts.push(parameterCode(item, code))
  if (all.some(isSelection)) parts.push(selectionCode(operation, all.filter(isSelection), code))
  return parts.length > 0 ? `query: {\n${lines(parts)}}` : ''
}

function parameterCode({ name, schema: referred, required }, code) {
  const schema = code.resolve(referred)
  const isOptional = required !== true
  if (schema.type === 'array') {
    code.use(PARAMETERS, 'csv')
    const rules = [
      schema.minItems > 1 && `min: ${schema.minItems}`,
      schema.maxItems && `max: ${schema.maxItems}`,
      isOptional && 'required: false',
      schema.uniqueItems && 'unique: true',
    ].filter(Boolean)
    return `${name}: csv(${code.code(schema.items)}, { ${rules.join(', ')} })`
  }
  if (schema.type === 'integer') {
    code.use(PARAMETERS, 'wholeNumber')
    const bounds = `{ min: ${schema.minimum ?? 0}, max: ${schema.maximum ?? 2147483647} }`
    const initial = schema.default === undefined ? '' : `, { initial: ${schema.default} }`
    return `${name}: wholeNumber(${bounds}${initial})`
  }
  code.use(PARAMETERS, 'textParameter')
  if (schema.type === 'boolean') {
    code.use(SCHEMA, 'words')
    return [
      todo('a boolean in the reference'),
      `${name}: textParameter(words(['true', 'false'])${isOptional ? '' : ', { required: true }'})`,
    ]
  }
  return `${name}: textParameter(${code.code(referred)}${isOptional ? '' : ', { required: true }'})`
}

function selectionCode(operation, parameters, code) {
  const object = code.objectOf(dataName(operation, code)?.name)
  if (!object)
    return todo(`declare the object, and select its fields: ${parameters.map((item) => item.name).join(', ')}`)
  code.use('api-kit/reading/selection.ts', 'selects')
  return `...selects(() => ${code.use(object.file, object.name)})`
}

/** The component that `data` of the answer contains, and whether it is a list. */
function dataName(operation, code) {
  const { data } = code.resolve(replySchema(operation))?.properties ?? {}
  const referred = data?.$ref ?? data?.items?.$ref
  return referred && { name: referred.split('/').pop(), isList: data.type === 'array' }
}

function bodyCode(operation, code) {
  const schema = operation.requestBody?.content['application/json']?.schema
  if (!schema) return operation.requestBody ? todo('the body is not JSON') : ''
  const target = code.resolve(schema)
  const isObject = target.properties !== undefined
  if (isObject) code.use(SCHEMA, 'closed')
  return `body: ${named(schema, isObject ? code.object(target, [], 'closed') : code.code(target), code)}`
}

function named(schema, made, code) {
  const name = schema.$ref?.split('/').pop()
  if (!name) return made
  code.use(SCHEMA, 'component')
  return `component('${name}', ${made})`
}

const successStatus = (operation) => Object.keys(operation.responses).find((status) => /^2/.test(status)) ?? '200'
const replySchema = (operation) => operation.responses[successStatus(operation)]?.content?.['application/json']?.schema

function replyCode(operation, code) {
  const schema = replySchema(operation)
  if (!schema) {
    code.use(SCHEMA, 'Type')
    return 'Type.Unknown()'
  }
  const target = code.resolve(schema)
  const data = dataName(operation, code)
  const object = code.objectOf(data?.name)
  if (!object) return plainReply(schema, target, code)
  code.use(REPLY, data.isList ? 'listReply' : 'singleReply')
  const isPaged = target.properties.meta !== undefined
  if (isPaged) code.use(PAGING, 'PageMeta')
  const name = schema.$ref.split('/').pop()
  const made = code.use(object.file, object.name)
  return data.isList ? `listReply('${name}', ${made}${isPaged ? ', PageMeta' : ''})` : `singleReply('${name}', ${made})`
}

function plainReply(schema, target, code) {
  const { includes, ...properties } = target.properties ?? {}
  const made = named(schema, target.properties ? code.object({ ...target, properties }, []) : code.code(target), code)
  code.use(SCHEMA, 'Type')
  if (!includes) return made
  code.use(REPLY, 'addIncludes')
  return `addIncludes(${made})`
}

/** The caller that an operation accepts, as an example names it. */
function callerOf(operation) {
  const rules = Object.assign({}, ...(operation.security ?? []))
  return rules.UserToken ? 'user' : rules.OAuth2UserToken ? 'oauth2' : 'app'
}

const isOwnId = (item) => /\/UserId/.test(item.schema?.$ref ?? '')

function exampleEntry(operation) {
  const code = new SchemaCode(reference)
  const path = parametersOf(operation, 'path', code).map(
    (item) => `${item.name}: ${isOwnId(item) ? "scene.server.userId('alice')" : "'TODO'"}`,
  )
  const query = parametersOf(operation, 'query', code)
    .filter((item) => item.required)
    .map((item) => `${item.name}: 'TODO'`)
  const body = operation.requestBody?.content['application/json']?.schema
  const call = [
    `as: '${callerOf(operation)}'`,
    path.length > 0 && `path: { ${path.join(', ')} }`,
    query.length > 0 && `query: { ${query.join(', ')} }`,
    body && `body: ${sample(body, code)}`,
  ].filter(Boolean)
  const scene = path.some((part) => part.includes('scene.')) ? 'scene' : ''
  return `  // TODO: make what the call needs, and put real values here.\n  ${operation.operationId}: (${scene}) => [{ ${call.join(', ')} }],\n`
}

/** A body with its required members. */
function sample(schema, code) {
  const target = code.resolve(schema)
  if (target.enum) return JSON.stringify(target.enum[0])
  if (target.type === 'array') return `[${sample(target.items, code)}]`
  if (target.properties) {
    const wanted = Object.entries(target.properties).filter(([name]) => target.required?.includes(name))
    return `{ ${wanted.map(([name, member]) => `${name}: ${sample(member, code)}`).join(', ')} }`
  }
  return { integer: '1', number: '1', boolean: 'true' }[target.type] ?? "'TODO'"
}

const exampleFile = (operation, folder) => `import type { Examples } from './example.ts'

/** Examples of ${folder.replace(/-/g, ' ')}. */
export const examples: Examples = {
${exampleEntry(operation)}}
`

function testFile(operation, source) {
  const { method, operationId: id } = operation
  const route = operation.path.replace(/\{[^}]+\}/g, 'TODO')
  const as = { user: "{ user: 'alice' }", oauth2: "{ user: 'alice' }", app: "'app'" }[callerOf(operation)]
  const body = operation.requestBody
    ? sample(operation.requestBody.content['application/json']?.schema ?? {}, new SchemaCode(reference))
    : '{}'
  const call = {
    GET: `server.get('${route}', ${as})`,
    DELETE: `server.delete('${route}', ${as})`,
    POST: `server.post('${route}', ${body}, ${as})`,
    PUT: `server.put('${route}', ${body}, ${as})`,
  }[method]
  return `import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe('${id}', () => {
  test('answers a correct request', async () => {
    const answer = await ${call}
    expect(answer.status, 'TODO: write the handler in ${source}, and put real values into this test').toBe(${successStatus(operation)})
    expect(answer.body).toEqual({ TODO: 'what a client sees' })
  })

  test.todo('${id} says what is missing when its object does not exist')
  test.todo('${id} shows and changes nothing that the caller may not see')
  test.todo('${id} refuses values beyond their bounds')
  test.todo('${lastTodo(operation)}')
})
`
}

function lastTodo(operation) {
  if (operation.method !== 'GET')
    return 'the next read shows the change, repeating it is harmless, and its event reaches the log'
  const isPaged = (operation.parameters ?? []).some((item) => item.name === 'max_results')
  return isPaged
    ? 'the pages of the list contain every item once, while others are added'
    : 'the answer shows a change at once'
}

runGenerator(newOperation, USAGE)

import { Ajv, type ValidateFunction } from 'ajv'
import { QUICK_TO_COMPILE } from './quick-to-compile.ts'
import type { TestServer } from './server.ts'

/** An answer, and the request that it answers. */
export interface SentAnswer {
  method: string
  path: string
  status: number
  type: string | null
  text: string
}

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document.
type Json = any

const ajv = new Ajv({ strict: false, allErrors: true, ...QUICK_TO_COMPILE })
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/)
ajv.addFormat('uri', { type: 'string', validate: (text: string) => URL.canParse(text) })
for (const name of ['int32', 'int64', 'double', 'byte', 'binary', 'date', 'float']) ajv.addFormat(name, true)

interface Described {
  method: string
  pattern: RegExp
  values: number
  operation: Json
  schemaPath: string
  /** The name under which its document is known, and the components of its types of problem. */
  document: string
  problemTypes: Map<string, { name: string; members: Set<string> }>
}

/** What our OpenAPI documents say, one entry for each operation in each naming. */
let described: Promise<Described[]> | undefined

/**
 * Why an answer does not agree with our own OpenAPI documents, by status and content type; undefined when it does. An answer
 * whose address no operation has is not checked.
 */
export async function misdescribed(server: TestServer, answer: SentAnswer): Promise<string | undefined> {
  described ??= readDocuments(server)
  const path = answer.path.split('?')[0]!.replace(/^\/ads(-sandbox)?(?=\/)/, '')
  const matches = (await described).filter((item) => item.method === answer.method && item.pattern.test(path))
  if (matches.length === 0) return undefined
  const fewest = Math.min(...matches.map((item) => item.values))
  const reasons = matches.filter((item) => item.values === fewest).map((item) => disagreement(item, answer))
  // The answer may be in either naming, whatever the path.
  return reasons.includes(undefined) ? undefined : reasons[0]
}

function disagreement(item: Described, answer: SentAnswer): string | undefined {
  const { operation, schemaPath } = item
  const { responses } = operation
  const status = responses[answer.status] ? String(answer.status) : answer.status < 400 ? undefined : 'default'
  if (status === undefined) return `${operation.operationId} has no answer with the status ${answer.status}`
  const type = answer.type?.split(';')[0] ?? ''
  if (!responses[status].content[type])
    return `${operation.operationId} has no ${type} in its answer with the status ${answer.status}`
  if (operation['x-streaming'] && answer.status === 200) return undefined
  if (type === 'application/octet-stream') return undefined
  const validate = validatorAt(`${schemaPath}/responses/${status}/content/${escapePointer(type)}/schema`)
  const body = JSON.parse(answer.text)
  const why = validate(body) ? wrongProblem(item, body) : firstError(validate)
  return why === undefined ? undefined : `${operation.operationId} ${answer.status}: ${why}`
}

function firstError({ errors }: ValidateFunction): string {
  const [error] = errors!
  return `${error!.instancePath} ${error!.message} ${JSON.stringify(error!.params)}`
}

/** Why a problem in an answer is not as the document describes its type. */
function wrongProblem({ document, problemTypes }: Described, body: Json): string | undefined {
  for (const problem of [body, ...(Array.isArray(body?.errors) ? body.errors : [])]) {
    if (typeof problem?.type !== 'string' || typeof problem.title !== 'string' || problemTypes.size === 0) continue
    const type = problemTypes.get(problem.type.split('/').at(-1)!)
    if (!type) return `the document has no problem of the type ${problem.type}`
    const unknown = Object.keys(problem).filter((member) => !type.members.has(member))
    if (unknown.length > 0) return `${type.name} does not have ${unknown.join(', ')}`
    const validate = validatorAt(`${document}#/components/schemas/${type.name}`)
    if (!validate(problem)) return `${type.name}: ${firstError(validate)}`
  }
  return undefined
}

/** The types of problem of a document by the last part of their addresses. */
function problemTypesOf({ components }: Json): Described['problemTypes'] {
  const common = components.schemas.Problem
  const mapping = Object.entries<string>(common?.discriminator?.mapping ?? {})
  return new Map(
    mapping.map(([address, reference]) => {
      const name = reference.split('/').at(-1)!
      const own = components.schemas[name].allOf.flatMap((part: Json) => Object.keys(part.properties ?? {}))
      return [address.split('/').at(-1)!, { name, members: new Set([...Object.keys(common.properties), ...own]) }]
    }),
  )
}

const validators = new Map<string, ValidateFunction>()

function validatorAt(reference: string): ValidateFunction {
  const known = validators.get(reference) ?? ajv.compile({ $ref: reference })
  validators.set(reference, known)
  return known
}

const escapePointer = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'))

async function readDocuments(server: TestServer): Promise<Described[]> {
  const all: Described[] = []
  for (const address of ['/2/openapi.json', '/ads/openapi.json'])
    for (const naming of ['neutral', 'legacy']) {
      const document = (await server.get(`${address}?naming=${naming}`, 'nobody')).body
      const id = `${address.slice(1)}-${naming}`
      ajv.addSchema(withNull(document), id)
      const problemTypes = problemTypesOf(document)
      for (const [path, methods] of Object.entries<Json>(document.paths))
        for (const [method, operation] of Object.entries<Json>(methods)) {
          const parts = path.split(/\{[^}]+\}/)
          all.push({
            method: method.toUpperCase(),
            pattern: new RegExp(`^${parts.map((part) => part.replace(/[.]/g, '\\.')).join('[^/]+')}$`),
            values: parts.length - 1,
            operation,
            schemaPath: `${id}#/paths/${escapePointer(path)}/${method}`,
            document: id,
            problemTypes,
          })
        }
    }
  return all
}

/** Says `nullable` as JSON Schema does. */
function withNull(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withNull)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withNull(value)]))
  if (copy.nullable !== true) return copy
  delete copy.nullable
  return { anyOf: [copy, { type: 'null' }] }
}

/** The server, with every answer compared with our OpenAPI documents. */
export function checkingAnswers(server: TestServer): TestServer {
  const request: TestServer['request'] = async (method, path, options) => {
    const answer = await server.request(method, path, options)
    const { status, headers, text } = answer
    const why = await misdescribed(server, { method, path, status, type: headers.get('content-type'), text })
    if (why !== undefined) throw new Error(`${method} ${path}: ${why}\n${text.slice(0, 500)}`)
    return answer
  }
  return {
    ...server,
    request,
    get: (path, as) => request('GET', path, { as }),
    post: (path, json, as) => request('POST', path, { as, json }),
    put: (path, json, as) => request('PUT', path, { as, json }),
    delete: (path, as) => request('DELETE', path, { as }),
  }
}

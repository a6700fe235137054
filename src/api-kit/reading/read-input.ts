import type { Operation, RequestFacts } from '../declaring/operation.ts'
import { misfit, type ParameterReader, type QueryValues } from '../declaring/parameters.ts'
import type { TSchema } from '../declaring/schema.ts'
import type { Naming } from '../naming/naming.ts'
import { renameSchema } from '../naming/rename-schema.ts'
import { AsGiven } from '../writing/problem.ts'
import { type Fault, invalidRequest } from '../writing/problems.ts'
import { compileBody, parseJsonBody } from './body.ts'
import { readFormBody } from './form-body.ts'
import { ALWAYS_ASKED } from './selection.ts'

/** The readers of an operation's input in one naming. */
export interface InputReader {
  parameters: [name: string, read: ParameterReader<unknown>][]
  /** Names that the query may have. */
  allowed: Set<string>
  body: ((value: unknown) => unknown) | undefined
}

export function compileInput(operation: Operation, naming: Naming): InputReader {
  const described = Object.entries(operation.query).flatMap(([name, parameter]) => parameter.describe(name))
  return {
    parameters: Object.entries(operation.query).map(([name, parameter]) => [name, parameter.compile(name, naming)]),
    allowed: new Set(described.map((item) => naming.rename(item.name))),
    body: operation.body ? compileBody(operation.body, naming) : undefined,
  }
}

/** The body of a request as JSON, or as the JSON that its form stands for. */
export async function parseBody(
  operation: Operation,
  schema: TSchema,
  { body, headers }: RequestFacts,
): Promise<unknown> {
  const type = headers['content-type'] as string | undefined
  if (!operation.bodyAsForm) return parseJsonBody(body, type)
  const form = await readFormBody(body, type, schema)
  return form ?? parseJsonBody(body, type, 'multipart/form-data')
}

export function readBody(operation: Operation, reader: InputReader, json: unknown): unknown {
  if (!reader.body) return undefined
  // Libraries that always send a body send an empty object when they have nothing to send.
  if (operation.bodyOptional && (json === undefined || isEmptyObject(json))) return undefined
  if (json !== undefined) return reader.body(json)
  throw invalidRequest([{ parameters: {}, message: 'The request needs a JSON body.' }])
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0

/** Says which path a wrong value in a path may mean. */
interface PathHint {
  hint(name: string, value: string, naming: Naming): string
}

export function readPath(
  operation: Operation,
  params: Record<string, string>,
  { naming, legacy, words }: { naming: Naming; legacy: Naming; words?: PathHint },
): Record<string, string> {
  const path: Record<string, string> = {}
  const faults: Fault[] = []
  for (const [name, schema] of Object.entries(operation.pathSchemas)) {
    const given = params[name] ?? params[naming.rename(name)] ?? ''
    // Words of an enumeration may have either spelling: nothing else in such a path shows the naming.
    const value = schema.enum ? legacy.restore(given) : given
    const why = given.includes('\0')
      ? `The \`${name}\` query parameter value is not valid`
      : schema.enum
        ? misfit(renameSchema(schema, naming), naming.rename(name), naming.rename(value))
        : misfit(schema, naming.rename(name), value)
    if (why !== undefined)
      faults.push({
        parameters: { [name]: [given.replaceAll('\0', '')] },
        message: `${why}${words?.hint(name, given, naming) ?? ''}`,
      })
    path[name] = value
  }
  if (faults.length > 0) throw invalidRequest(faults)
  return path
}

/** The arguments in the query; every fault is reported at once. */
export function readArguments(reader: InputReader, query: QueryValues, naming: Naming): Record<string, unknown> {
  const faults: Fault[] = []
  const spelled = new Map<string, string[]>()
  for (const [name, values] of query) {
    // OAuth parameters may be in the query.
    if (name.startsWith('oauth_')) continue
    if (name === ALWAYS_ASKED) {
      spelled.set(name, values)
      continue
    }
    const own = naming.rename(name)
    // A parameter in both spellings is one parameter given twice.
    if (reader.allowed.has(own)) spelled.set(own, spelled.has(own) ? [...spelled.get(own)!, ...values] : values)
    else
      faults.push({
        parameters: new AsGiven({ [name]: values }),
        message: `The query parameter [${name}] is not one of [${[...reader.allowed].join(',')}]`,
      })
  }
  const values: Record<string, unknown> = {}
  for (const [name, read] of reader.parameters) values[name] = read(spelled, faults)
  if (faults.length > 0) throw invalidRequest(faults)
  return values
}

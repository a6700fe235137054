import type { Naming } from '../naming/naming.ts'

/** A sentence whose own words follow the naming; values in it stay as they are. */
export interface Sentence {
  in(naming: Naming): string
}

interface NamedValue {
  name: string
}

/** Marks a value in a sentence or body as an identifier that follows the naming. */
export const named = (name: string): NamedValue & Sentence => ({ name, in: (naming) => naming.rename(name) })

/** Writes a sentence: say`Could not find ${named('post')} with ${named('ids')}: [${value}].` */
export function say(words: TemplateStringsArray, ...values: (string | number | NamedValue)[]): Sentence {
  return {
    in: (naming) =>
      words
        .map((text, index) => {
          const value = values[index]
          const shown = value === undefined ? '' : typeof value === 'object' ? naming.rename(value.name) : String(value)
          return naming.rename(text) + shown
        })
        .join(''),
  }
}

const isSentence = (value: unknown): value is Sentence =>
  typeof value === 'object' && value !== null && typeof (value as Sentence).in === 'function'

export type ProblemBody = Record<string, unknown>

/** Why a request was refused, for code that has to answer in another shape. */
export type RefusalCause =
  | 'app-suspended'
  | 'user-suspended'
  | 'token-invalid'
  | 'token-unknown'
  | 'no-credentials'
  | 'signature-invalid'
  | 'timestamp-invalid'

/** A refusal: status, content type, body, and the reason in words for the request log. */
export class Problem extends Error {
  override readonly cause: RefusalCause | undefined
  readonly status: number
  readonly contentType: string
  readonly body: ProblemBody
  readonly reason: string | undefined
  headers: Record<string, string> = {}
  constructor(
    status: number,
    body: ProblemBody,
    options: { contentType?: string; reason?: string; cause?: RefusalCause } = {},
  ) {
    super(`HTTP ${status}`)
    this.status = status
    this.body = body
    this.contentType = options.contentType ?? 'application/problem+json; charset=utf-8'
    this.reason = options.reason
    this.cause = options.cause
  }
}

/** The address below which the pages about the problem types are. */
export const problemBaseOf = (baseUrl: string): string => `${baseUrl}/2/problems`

/** Members that have the address of a problem type; a body has its name. */
const ADDRESSES = new Set(['type', 'registration_url'])

/** Renders the sentences and problem types of a body for one naming. */
export function renderBody(body: unknown, naming: Naming, problemBase: string): unknown {
  if (isSentence(body)) return body.in(naming)
  if (Array.isArray(body)) return body.map((item) => renderBody(item, naming, problemBase))
  if (typeof body !== 'object' || body === null) return body
  const shown: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined) continue
    if (ADDRESSES.has(key) && typeof value === 'string' && value !== 'about:blank')
      shown[key] = `${problemBase}/${value}`
    else if (key === 'parameters') shown.parameters = renameKeys(value as Record<string, string[]> | AsGiven, naming)
    else shown[key] = renderBody(value, naming, problemBase)
  }
  return shown
}

/** Parameter names as the client wrote them; they do not follow the naming. */
export class AsGiven {
  readonly parameters: Record<string, string[]>
  constructor(parameters: Record<string, string[]>) {
    this.parameters = parameters
  }
}

function renameKeys(parameters: Record<string, string[]> | AsGiven, naming: Naming): Record<string, string[]> {
  if (parameters instanceof AsGiven) return parameters.parameters
  return Object.fromEntries(Object.entries(parameters).map(([name, values]) => [naming.rename(name), values]))
}

/** The server refused a call; the message is its sentence. */
export class RostraError extends Error {
  override readonly name = 'RostraError'
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
  /** The whole answer. */
  readonly body: unknown

  constructor(message: string, status: number, body: unknown) {
    super(message)
    this.status = status
    this.body = body
  }
}

/** Nothing that matches came in time. */
export class RostraTimeoutError extends Error {
  override readonly name = 'RostraTimeoutError'
}

/** The server could not be started or reached. */
export class RostraStartError extends Error {
  override readonly name = 'RostraStartError'
}

/** The sentences of an error answer. */
export function sentenceOf(body: unknown, status: number): string {
  const problem = (body ?? {}) as { detail?: unknown; title?: unknown; errors?: unknown }
  const errors = Array.isArray(problem.errors) ? (problem.errors as { message?: string; detail?: string }[]) : []
  const words = errors.map((item) => item.message ?? item.detail ?? '').join(' ')
  return words || String(problem.detail ?? problem.title ?? `The server answered ${status}.`)
}

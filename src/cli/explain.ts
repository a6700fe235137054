import { UsageError } from './command-line.ts'

interface ErrorAnswer {
  detail?: string
  errors?: { message?: string; detail?: string; parameters?: Record<string, string[]> }[]
}

/** The sentences of an error answer. */
export function explain(body: unknown): string {
  const problem = body as ErrorAnswer
  return (
    problem.errors?.map((item) => item.message ?? item.detail ?? '').join(' ') ||
    (problem.detail ?? 'The request was refused.')
  )
}

/** The control interface refused a command. */
export class RefusedError extends UsageError {
  /** What was wrong, and where in the arguments. */
  readonly faults: { path: string; message: string }[]

  constructor(body: unknown) {
    super(explain(body))
    this.faults = ((body as ErrorAnswer).errors ?? []).flatMap(({ message = '', parameters }) =>
      Object.keys(parameters ?? {}).map((path) => ({ path, message })),
    )
  }
}

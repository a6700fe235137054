import { Problem } from '../../api-kit/writing/problem.ts'

/** What is wrong with the fields of a form: a sentence for each name. */
export class FieldFaults extends Error {
  readonly faults: Readonly<Record<string, string>>
  /** The status of the page that shows them. */
  readonly status: number
  constructor(faults: Record<string, string>, status = 400) {
    super(Object.values(faults).join(' '))
    this.faults = faults
    this.status = status
  }
}

/** Throws when there is at least one fault. */
export function refuseFaults(faults: Record<string, string | undefined>): void {
  const found = Object.entries(faults).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (found.length > 0) throw new FieldFaults(Object.fromEntries(found))
}

/** A refusal of an interface as faults of a form; undefined where it names no parameter. */
export function faultsOf(problem: Problem): FieldFaults | undefined {
  const errors = problem.body.errors as { parameters?: Record<string, unknown>; message?: unknown }[] | undefined
  const faults = (errors ?? []).flatMap(({ parameters, message }) =>
    Object.keys(parameters ?? {}).map((name) => [name, String(message)] as const),
  )
  return faults.length > 0 ? new FieldFaults(Object.fromEntries(faults)) : undefined
}

/** Runs a change; a refusal that names parameters becomes the faults of a form. */
export async function withFieldFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw (error instanceof Problem ? faultsOf(error) : undefined) ?? error
  }
}

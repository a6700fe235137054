/** The sentences of an error answer. */
export function explain(body: unknown): string {
  const problem = body as { detail?: string; errors?: { message?: string; detail?: string }[] }
  return (
    problem.errors?.map((item) => item.message ?? item.detail ?? '').join(' ') ||
    (problem.detail ?? 'The request was refused.')
  )
}

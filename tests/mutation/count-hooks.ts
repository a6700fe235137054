import type { RunnerTask, RunnerTestFile, Vitest } from 'vitest/node'

/**
 * Lets a test fail where the file around it has failed, in a hook or while it was read. Stryker looks at tests and at the suites
 * in a file, and would say of a mutant with which no test can begin that it survived.
 */
export function countHooks(vitest: Vitest): void {
  const start = vitest.start.bind(vitest)
  vitest.start = async (...filters) => {
    const result = await start(...filters)
    for (const file of vitest.state.getFiles()) failWithFile(file)
    return result
  }
}

function failWithFile(file: RunnerTestFile): void {
  if (!file.result?.errors?.length) return
  const test = firstTest(file.tasks) ?? unreadTest(file)
  test.mode = 'run'
  test.result = { ...file.result, state: 'fail' }
}

function firstTest(tasks: readonly RunnerTask[]): RunnerTask | undefined {
  for (const task of tasks) {
    const found = task.type === 'suite' ? firstTest(task.tasks) : task
    if (found) return found
  }
  return undefined
}

/** A file that could not be read has no tests. */
function unreadTest(file: RunnerTestFile): RunnerTask {
  const test = {
    id: `${file.id}_0`,
    type: 'test',
    name: 'is read',
    mode: 'run',
    file,
    meta: {},
  } as unknown as RunnerTask
  file.tasks.push(test)
  return test
}

import { type RunnerTask, type RunnerTestCase, type RunnerTestSuite, TestRunner } from 'vitest'

/** Seconds since 1970; no test begins later. Without it a run takes as long as it needs. */
const until = Number(process.env.ROSTRA_TEST_UNTIL || Number.POSITIVE_INFINITY)
const isOver = () => Date.now() / 1000 > until

/** Skips what has not begun when the time of the run is over: other seeds, and a full run, have it. */
export default class TimeLimit extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    // A skipped suite does not run its hooks, which start servers.
    if (isOver()) skip(suite)
    await super.onBeforeRunSuite(suite)
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    if (isOver()) skip(test)
    await super.onBeforeRunTask(test)
  }
}

function skip(task: RunnerTask): void {
  task.mode = 'skip'
  if (task.type === 'suite') for (const part of task.tasks) skip(part)
}

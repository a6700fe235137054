import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, in this order. */
const LONGEST = [
  'tests/front/runtimes.sampled',
  'tests/ads/serving/killed-servers.process',
  'tests/browser/console-world.process',
  'tests/browser/public.process',
  'tests/browser/home.process',
  'tests/process/deliveries.sampled',
  'tests/plans/plans.sampled',
  'tests/process/ended-starts.sampled',
  'tests/cli/generators.sampled',
  'tests/testing/python.sampled',
  'tests/process/nats-machines.process',
  'tests/process/freshness.process',
  'tests/process/survival.sampled',
  'tests/contract/hostile-requests.sampled',
  'tests/cli/seed.process',
  'tests/process/deterministic.process',
  'tests/ads/hostile-values.sampled',
  'tests/contract/operations.sampled',
  // Not long, but these must not be late: they have many cases.
  'tests/contract/refusals.sampled',
  'tests/search/random-queries.sampled',
  'tests/pages/hostile-forms.sampled',
]
const LONG = /\.process\.test\.ts$|\.sampled\.test\.ts$|ads[\\/]contract\.test\.ts$|world[\\/]snapshots\.test\.ts$/

/** Begins with the longest files, so no worker is busy with one after the others have ended. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted
      .map((file) => ({ file, rank: rankOf(file.moduleId) }))
      .sort((left, right) => left.rank - right.rank)
      .map(({ file }) => file)
  }
}

function rankOf(path: string): number {
  const at = LONGEST.findIndex((name) => path.replaceAll('\\', '/').endsWith(`${name}.test.ts`))
  if (at >= 0) return at
  return LONG.test(path) ? LONGEST.length : LONGEST.length + 1
}

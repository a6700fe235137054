import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Runs test files in the order in which they are listed: the first failure ends a mutant, so cheap tests come first. */
export class GivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const listed = (process.env.MUTATION_TESTS ?? '').split(',')
    const rank = ({ moduleId }: TestSpecification) => listed.findIndex((file) => moduleId.endsWith(file))
    return [...files].sort((left, right) => rank(left) - rank(right))
  }
}

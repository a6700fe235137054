import type { TestProject } from 'vitest/node'

/** The PostgreSQL server that `npm run test:mutation` has started: Stryker ends its own processes without asking them. */
export default function setup(project: TestProject): void {
  project.provide('connection', JSON.parse(process.env.MUTATION_CONNECTION!))
}

import { afterAll, inject } from 'vitest'

/** What Stryker's own setup file keeps in the process. */
interface StrykerState {
  activeMutant?: string | undefined
  hitCount?: number
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> }
}

interface Task {
  type: string
  name: string
  tasks?: Task[]
}

declare module 'vitest' {
  export interface ProvidedContext {
    globalNamespace: string
    mode: 'dry-run' | 'mutant'
    activeMutant?: string
  }
}

const state = (globalThis as unknown as Record<string, StrykerState>)[inject('globalNamespace')]!

// The product is loaded as it is: a mutant that is active while modules are imported would stay for those that come after it.
state.activeMutant = undefined
await import('../support/server.ts')

// What a test file does outside of its tests, as it is read and in its hooks, belongs to all of them. Stryker takes it for
// part of loading the product, and would neither run these tests for it nor have the mutant active there.
if (inject('mode') === 'mutant') {
  state.activeMutant = inject('activeMutant')
  state.hitCount = 0
} else {
  const before = { ...state.mutantCoverage?.static }
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures from the pattern.
  afterAll(({}, suite) => {
    const coverage = state.mutantCoverage
    if (!coverage) return
    const hits = Object.entries(coverage.static).filter(([mutant, count]) => count > (before[mutant] ?? 0))
    const file = suite as unknown as Task & { filepath: string }
    for (const name of namesOf(file.tasks ?? [])) {
      const id = `${file.filepath}#${name}`
      const ofTest = { ...coverage.perTest[id] }
      for (const [mutant, count] of hits) ofTest[mutant] = (ofTest[mutant] ?? 0) + count
      coverage.perTest[id] = ofTest
    }
    coverage.static = before
  })
}

/** Full names of the tests below a suite. */
function namesOf(tasks: readonly Task[], parent = ''): string[] {
  return tasks.flatMap((task) => {
    const name = `${parent} ${task.name}`.trim()
    return task.tasks ? namesOf(task.tasks, name) : [name]
  })
}

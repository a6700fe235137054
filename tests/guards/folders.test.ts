import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { sourceFiles } from './source-files.ts'

const code = sourceFiles('.ts', '.tsx')

describe('circles of imports', () => {
  /** A post shows its author, and a user shows a pinned post: each object names the other. */
  const CIRCLES = ['social/posts/post.object.ts, social/users/user.object.ts']

  test('exist only where they are listed', () => {
    expect(circlesOf(importsOf(code)).map((circle) => circle.join(', '))).toEqual(CIRCLES)
  })

  test('are found, with type imports and through several files', () => {
    const graph = importsOf([
      { name: 'a.ts', text: `import { b } from './b.ts'\nimport { d } from './d.ts'` },
      { name: 'b.ts', text: `import {\n  type C,\n} from './folder/c.ts'` },
      { name: 'folder/c.ts', text: `export * from '../a.ts'` },
      { name: 'd.ts', text: `const later = () => import('./e.ts')` },
      { name: 'e.ts', text: `// import { a } from a.ts` },
    ])
    expect(circlesOf(graph)).toEqual([['a.ts', 'b.ts', 'folder/c.ts']])
  })
})

test('no folder has more than 25 files', () => {
  /** Folders that may have more, with the reason. */
  const LARGE: Record<string, string> = {
    'storage/migrations': 'one file for each step of the schema, never changed or moved',
  }
  const counts = new Map<string, number>()
  for (const { name } of sourceFiles('.ts', '.tsx', '.sql', '.css', '.json')) {
    const folder = path.posix.dirname(name)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  expect(counts.size).toBeGreaterThan(20)
  expect([...counts].filter(([folder, count]) => count > 25 && !(folder in LARGE))).toEqual([])
  expect(Object.keys(LARGE).filter((folder) => !counts.has(folder))).toEqual([])
})

type Graph = Map<string, string[]>

/** For each file the files that it imports, types included. */
function importsOf(files: { name: string; text: string }[]): Graph {
  const names = new Set(files.map((file) => file.name))
  return new Map(
    files.map(({ name, text }) => [
      name,
      [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)]
        .map((hit) => path.posix.join(path.posix.dirname(name), hit[1]!))
        .filter((target) => names.has(target)),
    ]),
  )
}

/** Groups of files that reach each other (strongly connected components, by Tarjan). */
function circlesOf(graph: Graph): string[][] {
  const circles: string[][] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const visit = (file: string): void => {
    order.set(file, order.size)
    lowest.set(file, order.get(file)!)
    open.push(file)
    for (const target of graph.get(file)!) {
      if (!order.has(target)) visit(target)
      if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!))
    }
    if (lowest.get(file) !== order.get(file)) return
    const circle = open.splice(open.indexOf(file))
    if (circle.length > 1) circles.push(circle.sort())
  }
  for (const file of [...graph.keys()].sort()) if (!order.has(file)) visit(file)
  return circles
}

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from './source-files.ts'

const HEADER = ['| Question | Choice | Test |', '|---|---|---|']
/** Rows that state something that is not done: nothing can be observed. */
const MOST_WITHOUT_TEST = 5

interface Row {
  line: string
  anchor: string | undefined
  /** What the last column names, a test each. */
  tests: string[]
}

const lines = readFileSync(path.join(ROOT, 'docs/choices.md'), 'utf8').split('\n')
const isRow = (line: string) => line.startsWith('|') && !HEADER.includes(line)
const rows: Row[] = lines.filter(isRow).map((line) => {
  const cells = line.slice(1, -1).split(' | ')
  return {
    line,
    anchor: cells[0]?.match(/^ ?<a id="([a-z0-9-]+)"><\/a>/)?.[1],
    tests: (cells[2] ?? '').trim().split('<br>'),
  }
})

/** Texts of a test file: names of tests and of their cases among them. */
const texts = new Map<string, string[]>()
function textsOf(file: string): string[] {
  if (!texts.has(file)) {
    const source = readFileSync(file, 'utf8')
    texts.set(
      file,
      [...source.matchAll(/(['"`])((?:\\.|(?!\1).)*)\1/g)].map((hit) => hit[2]!.replace(/\\(.)/g, '$1')),
    )
  }
  return texts.get(file)!
}

/** What is wrong with a test that a row names; undefined when it exists. */
function problemOf(named: string): string | undefined {
  if (named.startsWith('— ')) return named.length < 30 ? 'the reason is too short' : undefined
  const [, name, words] = named.match(/^`([\w./-]+)` (.{8,})$/) ?? []
  if (!name || !words) return 'must be `file` and words of a test name, or — and a reason'
  const file = path.join(ROOT, 'tests', `${name}.test.ts`)
  if (!existsSync(file)) return `there is no file tests/${name}.test.ts`
  return textsOf(file).some((text) => text.includes(words))
    ? undefined
    : `no test of tests/${name}.test.ts has these words`
}

describe('docs/choices.md', () => {
  test('is made of whole tables', () => {
    expect(rows.length).toBeGreaterThan(150)
    const broken = lines.filter((line, at) => {
      if (isRow(line)) return !lines[at - 1]?.startsWith('|') || line.slice(1, -1).split(' | ').length !== 3
      return line === HEADER[0] ? lines[at + 1] !== HEADER[1] : false
    })
    expect(broken).toEqual([])
  })

  test('has an anchor of its own in each row', () => {
    expect(rows.filter((row) => row.anchor === undefined).map((row) => row.line)).toEqual([])
    expect(new Set(rows.map((row) => row.anchor)).size).toBe(rows.length)
  })

  test('names in each row a test that exists', () => {
    const problems = rows.flatMap((row) =>
      row.tests.flatMap((named) => {
        const problem = problemOf(named)
        return problem ? [`${row.anchor}: ${named}: ${problem}`] : []
      }),
    )
    expect(problems).toEqual([])
    expect(rows.filter((row) => row.tests[0]!.startsWith('—')).length).toBeLessThanOrEqual(MOST_WITHOUT_TEST)
  })
})

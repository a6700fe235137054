import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from './source-files.ts'

const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8')
const manifest = JSON.parse(read('package.json')) as { exports: Record<string, unknown>; bin: Record<string, string> }

let packed: Set<string>
beforeAll(() => {
  // Without its scripts: the build is there already when tests run.
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' })
  const [tarball] = JSON.parse(text) as [{ files: { path: string }[] }]
  packed = new Set(tarball.files.map((file) => file.path))
})

describe('the npm package', () => {
  test('contains what its users read, and the built server', () => {
    const wanted = [
      'README.md',
      'LICENSE',
      'SECURITY.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'COVERAGE.md',
      'dist/main.js',
      'dist/testing/types.d.ts',
      'clients/python/pyproject.toml',
      'clients/python/rostra/pytest_plugin.py',
      'dist/front/preloads/node.cjs',
      'dist/front/preloads/sitecustomize.py',
    ]
    expect(wanted.filter((name) => !packed.has(name))).toEqual([])
    expect([...packed].filter((name) => name.endsWith('.sql')).length).toBeGreaterThan(10)
  })

  test('contains no sources, tests or source maps', () => {
    expect(
      [...packed].filter((name) => /\.map$|(?<!\.d)\.ts$|^(src|tests|scripts|bench|dist\/modules)\//.test(name)),
    ).toEqual([])
    const code = [...packed].filter((name) => name.endsWith('.js'))
    expect(code.filter((name) => read(name).includes('//# sourceMappingURL='))).toEqual([])
  })

  test('exports only files that are inside', () => {
    const targets = [...Object.values(manifest.bin), ...leaves(manifest.exports)]
    expect(targets.map((name) => path.posix.normalize(name)).filter((name) => !packed.has(name))).toEqual([])
  })

  test('has no link in its documents that leads to a missing file or heading', () => {
    const documents = [...packed].filter((name) => name.endsWith('.md'))
    expect(documents.length).toBeGreaterThan(8)
    expect(documents.flatMap(brokenLinks)).toEqual([])
  })
})

/** The file names at the ends of `exports`, whose conditions may nest. */
const leaves = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as Record<string, unknown>).flatMap(leaves)

function brokenLinks(document: string): string[] {
  const links = [...withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)].map((hit) => hit[1]!)
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file, anchor] = link.split('#') as [string, string | undefined]
      const target = file === '' ? document : path.posix.join(path.posix.dirname(document), file)
      if (!packed.has(target)) return true
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor)
    })
    .map((link) => `${document}: ${link}`)
}

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')

/** The anchors of headings, as Markdown viewers make them, and those that are written out. */
const anchorsOf = (text: string) => [
  ...[...text.matchAll(/^#+ (.+)$/gm)].map((hit) =>
    hit[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-'),
  ),
  ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map((hit) => hit[1]!),
]

describe('dependencies', () => {
  const lock = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version: string; dev?: boolean; engines?: { node?: string } }>
  }
  const production = Object.entries(lock.packages).filter(([name, item]) => name !== '' && !item.dev)

  test.each(['20.19.0', '22.0.0', '24.0.0'])('accept Node %s without a warning', (version) => {
    expect(production.length).toBeGreaterThan(40)
    const warning = production.filter(([, item]) => !accepts(item.engines?.node ?? '*', version))
    expect(warning.map(([name, item]) => `${name} ${item.version} wants ${item.engines!.node}`)).toEqual([])
  })

  test('need no override, since overrides do not reach those who install the package', () => {
    const { overrides } = JSON.parse(read('package.json')) as { overrides?: Record<string, unknown> }
    const names = production.map(([name]) => name.replace(/^.*node_modules\//, ''))
    expect(Object.keys(overrides ?? {}).filter((name) => names.includes(name))).toEqual([])
  })
})

/** Whether a range contains a version. Only ranges of lower bounds are understood; for others it throws. */
function accepts(range: string, version: string): boolean {
  return range.split('||').some((part) => {
    if (part.trim() === '*') return true
    const [, bound] = /^\s*>=\s*([\d.x]+)\s*$/.exec(part) ?? []
    if (bound === undefined)
      throw new Error(`The range ${range} is not a lower bound. Check it, and teach this test to read it.`)
    const lowest = bound.split('.').map((digits) => Number(digits) || 0)
    const have = version.split('.').map(Number)
    const at = [0, 1, 2].find((index) => (lowest[index] ?? 0) !== have[index])
    return at === undefined || have[at]! > (lowest[at] ?? 0)
  })
}

import path from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../../src/control/commands.ts'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles('.ts').filter((file) => file.name.startsWith('cli/'))

/** Whether a file calls a control command: by its name, or by a part of it after a dot in a template. */
function calls(text: string, name: string): boolean {
  if (text.includes(`'${name}'`) || text.includes(`commands/${name}`)) return true
  const [group, ...rest] = name.split('.')
  return new RegExp(`\`${group}\\.\\$\\{\\w+\\}\``).test(text) && text.includes(`'${rest.join('.')}'`)
}

/** Commands whose work the command line does itself: `rostra seed` makes worlds of any size and shows how far it is. */
const DONE_BY_ITSELF = ['world.seed']

test('every control command can be called from the command line', () => {
  expect(commands.length).toBeGreaterThan(60)
  const names = commands.map((command) => command.name).filter((name) => !DONE_BY_ITSELF.includes(name))
  const missing = names.filter((name) => !files.some(({ text }) => calls(text, name)))
  expect(missing).toEqual([])
})

/** What a file imports when it is loaded, with everything below it. */
function loaded(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  const text = byName.get(name)
  if (text === undefined) return found
  for (const [, target] of text.matchAll(/^(?:import|export)\s(?!type\b)[^'"]*?from '([^']+)'/gm))
    loaded(target!.startsWith('.') ? path.posix.join(path.posix.dirname(name), target!) : target!, found)
  return found
}
const byName = new Map(sourceFiles('.ts').map((file) => [file.name, file.text]))

test('help and calls of a running server load no package and little code', () => {
  const light = ['main.ts', 'cli/reach-runtime.ts', 'cli/user-commands.ts', 'cli/log-command.ts', 'cli/words.ts']
  const all = [...new Set(light.flatMap((name) => [...loaded(name)]))]
  expect(all.filter((name) => !byName.has(name) && !name.startsWith('node:'))).toEqual([])
  expect(all.length).toBeLessThan(60)
  expect([...loaded('cli/open-runtime.ts')]).toContain('pg')
})

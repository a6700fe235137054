import { expect, test } from 'vitest'
import { commands } from '../../src/control/commands.ts'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles('.ts').filter((file) => file.name.startsWith('cli/'))

/** Whether a file calls a control command: by its name, or by a part of it in a template such as `spaces.${name}`. */
function calls(text: string, name: string): boolean {
  if (text.includes(`'${name}'`) || text.includes(`commands/${name}`)) return true
  const [group, ...rest] = name.split('.')
  return text.includes(`\`${group}.\${name}\``) && text.includes(`'${rest.join('.')}'`)
}

test('every control command can be called from the command line', () => {
  expect(commands.length).toBeGreaterThan(60)
  const missing = commands.map((command) => command.name).filter((name) => !files.some(({ text }) => calls(text, name)))
  expect(missing).toEqual([])
})

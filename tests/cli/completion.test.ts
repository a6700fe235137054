import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { call } from './call-main.ts'

const hasBash = spawnSync('bash', ['--version']).status === 0

/** What bash offers for a command line; the last word is the one that is being typed. */
function offered(script: string, ...words: string[]): string[] {
  const line = ['rostra', ...words].map((word) => `'${word}'`).join(' ')
  const typed = `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _rostra; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', typed], { encoding: 'utf8' })
    .split('\n')
    .filter((word) => word !== '')
}

describe.runIf(hasBash)('completion for bash', () => {
  test('offers commands, words of groups, flags and values', async () => {
    const { code, stdout } = await call(['completion', 'bash'])
    expect(code).toBe(0)
    expect(offered(stdout, 'comp')).toEqual(['completion'])
    expect(offered(stdout, 'user', 'to')).toEqual(['token'])
    expect(offered(stdout, 'ads', 'account', '')).toEqual(['create', 'list', 'show'])
    expect(offered(stdout, 'user', 'token', 'alice', '--o')).toEqual(['--oauth2'])
    expect(offered(stdout, 'start', '--rate-limits', 'o')).toEqual(['on', 'off'])
    expect(offered(stdout, 'deliveries', 'sh')).toEqual(['show'])
  })
})

test.each(['zsh', 'fish'])('completion for %s names every command and its flags', async (shell) => {
  const { code, stdout } = await call(['completion', shell])
  expect(code).toBe(0)
  for (const word of ['completion', 'token', 'oauth2', 'rate-limits']) expect(stdout).toContain(word)
})

test('another shell is refused with those there are', async () => {
  expect(await call(['completion', 'tcsh'])).toMatchObject({
    code: 1,
    stderr: 'There is no completion for tcsh, only for bash, zsh, fish.\n',
  })
})

test('a word that is nearly a command or flag is named', async () => {
  expect((await call(['strat'])).stderr).toBe(
    'There is no command strat. Did you mean start? `rostra --help` lists the commands.\n',
  )
  expect((await call(['user', 'tokn'])).stderr).toContain('Did you mean user token?')
  expect((await call(['user', 'list', '--limt', '3'])).stderr).toContain('Did you mean --limit?')
  expect((await call(['entirely-different'])).stderr).not.toContain('Did you mean')
})

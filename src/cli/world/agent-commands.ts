import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type CliCommand, needed, numberFlag, UsageError } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'

export const agentsCommand: CliCommand = {
  name: 'agents create',
  summary: 'Creates many users at once, with tokens and follows, and writes one line of JSON for each.',
  flags: {
    count: { value: '<number>', help: 'how many, 100000 at most' },
    prefix: { value: '<text>', help: 'usernames are this and a number; default agent' },
    app: { value: '<name or id>', help: 'the app that the tokens are for; default the oldest' },
    tokens: { value: 'oauth1,oauth2', help: 'which access tokens they get; default oauth1, none for no tokens' },
    scopes: { value: '<scopes>', help: 'scopes of OAuth 2.0 tokens, separated by spaces; default all' },
    follows: { value: 'random:<number>', help: 'how many other agents of this call each one follows' },
    passwords: { help: 'also give them passwords, which takes much longer' },
    out: { value: '<file>', help: 'where the lines go; default standard output' },
  },
  run: async (call) => {
    if (call.flags.count === undefined) needed(call, 'count')
    const given = call.flags.tokens === undefined ? 'oauth1' : String(call.flags.tokens)
    const tokens = given === 'none' ? [] : given.split(',').map((word) => word.trim())
    const result = await runCommand(call.settings, 'agents.create', {
      count: numberFlag(call, 'count', 1, 100_000),
      prefix: call.flags.prefix,
      app: call.flags.app,
      tokens,
      scopes:
        call.flags.scopes === undefined
          ? undefined
          : String(call.flags.scopes)
              .split(/[\s,]+/)
              .filter(Boolean),
      follows: call.flags.follows,
      passwords: call.flags.passwords,
    })
    const agents = result.agents as { username: string }[]
    const lines = agents.map((agent) => JSON.stringify(agent)).join('\n')
    if (call.flags.out === undefined) return console.log(lines)
    const file = path.resolve(String(call.flags.out))
    try {
      // The lines have tokens.
      writeFileSync(file, `${lines}\n`, { mode: 0o600 })
    } catch (error) {
      throw new UsageError(
        `${agents.length} agents were created, but ${file} cannot be written: ${(error as Error).message}`,
      )
    }
    const shown = { created: agents.length, first: agents[0]!.username, last: agents.at(-1)!.username, out: file }
    call.print(shown, () => `${agents.length} agents, @${shown.first} to @${shown.last}: ${file}`)
  },
}

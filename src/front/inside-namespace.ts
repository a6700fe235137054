import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { outerEnvironment } from '../settings.ts'
import { join, listening } from './front.ts'
import type { InsideFacts } from './isolate.ts'
import { passSignalsOn } from './pass-signals.ts'
import { endAs, startProgram } from './run-program.ts'

// Runs as the first process in a private network and mount namespace: `rostra exec --isolate` starts it where the user may not
// listen on port 443. It prepares the namespace, runs the program as the user again, and ends as the program ended.

const [file, ...words] = process.argv.slice(2) as [string, ...string[]]
const facts = JSON.parse(readFileSync(file, 'utf8')) as InsideFacts
const run = (...command: [string, ...string[]]) => {
  const { status, stderr } = spawnSync(command[0], command.slice(1), { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
}

run('ip', 'link', 'set', 'lo', 'up')
for (const [from, to] of facts.mounts) run('mount', '--bind', from, to)
for (const { host, port, path } of facts.forwarded)
  await listening(
    net.createServer({ allowHalfOpen: true }, (socket) => join(socket, net.connect({ path, allowHalfOpen: true }))),
    { host, port },
  )
const asUser = ['unshare', `--map-user=${facts.user}`, `--map-group=${facts.group}`, '--', ...words]
const program = startProgram(asUser, outerEnvironment())
if (typeof program === 'number') process.exit(program)
passSignalsOn(() => program)
endAs(await program.ended)

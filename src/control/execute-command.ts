import { neutral } from '../api-kit/naming/naming.ts'
import { compileBody } from '../api-kit/reading/body.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { type Actor, audited } from './audit/audited.ts'
import { onlyReads } from './audit/only-reads.ts'
import type { Command } from './command.ts'

// Compiled on first use: most processes never run a command.
const readers = new Map<string, ReturnType<typeof compileBody>>()

/** Checks the arguments of a command and runs it. What changes something is in the audit log. */
export async function executeCommand(
  runtime: Runtime,
  actor: Actor,
  command: Command,
  json: unknown,
): Promise<unknown> {
  const { name } = command
  const reader = readers.get(name) ?? compileBody(command.args, neutral)
  readers.set(name, reader)
  const run = async () => command.run(runtime, reader(json))
  const result = onlyReads(name, json as Record<string, unknown>)
    ? await run()
    : await audited(runtime, { actor, name, args: json }, run)
  // The command may have changed credentials that credentials.json lists.
  runtime.bus.wake('credentials')
  return result
}

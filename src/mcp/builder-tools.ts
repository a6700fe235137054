import type { CallToolResult, JSONObject } from '@modelcontextprotocol/server'
import { closed, type Static, Type } from '../api-kit/declaring/schema.ts'
import { neutral } from '../api-kit/naming/naming.ts'
import { compileBody } from '../api-kit/reading/body.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { Problem, renderBody } from '../api-kit/writing/problem.ts'
import type { Command } from '../control/command.ts'
import { defineCommand } from '../control/command.ts'
import { commands } from '../control/commands.ts'
import { findRequests, reset } from '../control/endpoints.ts'
import { executeCommand } from '../control/execute-command.ts'
import { type ToolSet, toolResult } from './protocol-server.ts'
import { plainSchema } from './tool-schema.ts'

interface Row {
  name: string
  /** The control command that it runs. */
  command: string
  description: string
  /** Read-only tools change nothing; destructive ones remove something. */
  kind: 'reads' | 'adds' | 'removes'
}

const ROWS: readonly Row[] = [
  {
    name: 'list_event_types',
    command: 'trigger.list',
    description: 'List the types of events that trigger_event can cause, and the arguments of each.',
    kind: 'reads',
  },
  {
    name: 'trigger_event',
    command: 'trigger',
    description: 'Cause an event by the real action, such as a post, a like or a message: streams and webhooks get it.',
    kind: 'adds',
  },
  {
    name: 'add_fault',
    command: 'fault.add',
    description:
      'Make requests fail that match a method and path, such as "POST /2/posts": with a status, a named failure, a delay or a broken answer.',
    kind: 'adds',
  },
  {
    name: 'list_faults',
    command: 'fault.list',
    description: 'List the faults and how often each happened.',
    kind: 'reads',
  },
  { name: 'clear_faults', command: 'fault.clear', description: 'Remove one fault, or all of them.', kind: 'removes' },
  {
    name: 'fail_next_deliveries',
    command: 'delivery.fail_next',
    description: 'Make the next deliveries to webhooks fail.',
    kind: 'adds',
  },
  {
    name: 'move_clock',
    command: 'clock',
    description:
      'Read the product clock, or move it (advance "2h", set a time), freeze it, let it run or put it back. What falls due on the way happens.',
    kind: 'adds',
  },
  { name: 'list_users', command: 'user.list', description: 'List users.', kind: 'reads' },
  {
    name: 'create_token',
    command: 'user.token',
    description: 'Make a token of a user for an app, without the sign-in pages.',
    kind: 'adds',
  },
  {
    name: 'show_state',
    command: 'state.show',
    description: 'Show what the server has and what differs from a new one.',
    kind: 'reads',
  },
]

const RequestArguments = closed({
  app: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'Id or name of the app.' })),
  refused: Type.Optional(Type.Boolean({ description: 'Only refused requests.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
})

/** Two things are endpoints instead of commands. */
const OWN: readonly (Row & { run: Command })[] = [
  {
    name: 'read_requests',
    command: 'requests',
    description: 'Read the last requests that programs sent, with the reason of each refusal.',
    kind: 'reads',
    run: defineCommand('requests', RequestArguments, async (runtime, args: Static<typeof RequestArguments>) => ({
      requests: await findRequests(runtime, {
        app: args.app,
        after: undefined,
        refused: args.refused ?? false,
        limit: args.limit ?? 20,
      }),
    })),
  },
  {
    name: 'reset_world',
    command: 'reset',
    description: 'Delete everything and put the first world back.',
    kind: 'removes',
    run: defineCommand('reset', closed({}), (runtime) => reset(runtime, 'admin key')),
  },
]

interface BuilderTool extends Row {
  inputSchema: JSONObject & { type: 'object' }
  run(runtime: Runtime, args: Record<string, unknown>): Promise<unknown>
}

let made: ReadonlyMap<string, BuilderTool> | undefined

function builderTools(): ReadonlyMap<string, BuilderTool> {
  made ??= new Map(
    [
      ...ROWS.map((row) => {
        const command = commands.find((item) => item.name === row.command)!
        const run = (runtime: Runtime, args: object) => executeCommand(runtime, 'admin key', command, args)
        return { ...row, inputSchema: inputOf(command), run }
      }),
      ...OWN.map(({ run: command, ...row }) => {
        const read = compileBody(command.args, neutral)
        const run = async (runtime: Runtime, args: object) => command.run(runtime, read(args))
        return { ...row, inputSchema: inputOf(command), run }
      }),
    ].map((tool) => [tool.name, tool]),
  )
  return made
}

const inputOf = ({ args }: Command) => ({ ...plainSchema(args), type: 'object' as const })

/** Tools for those who build with the server: what the control interface can do, for programs that speak the protocol. */
export const builderToolSet = (runtime: Runtime): ToolSet => ({
  name: 'rostra-builder',
  title: 'Rostra for builders',
  version: '1',
  instructions:
    'Tools to test programs against this server: cause events, make requests fail, read what was sent and why it was refused, move the clock, start again.',
  list: () =>
    [...builderTools().values()].map(({ name, description, kind, inputSchema }) => ({
      name,
      description,
      inputSchema,
      annotations: { readOnlyHint: kind === 'reads', destructiveHint: kind === 'removes', openWorldHint: false },
    })),
  call: (name, args) => {
    const tool = builderTools().get(name)
    return tool && callTool(runtime, tool, args)
  },
})

async function callTool(runtime: Runtime, tool: BuilderTool, args: Record<string, unknown>): Promise<CallToolResult> {
  try {
    return toolResult(asObject(await tool.run(runtime, args)), false)
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return toolResult(renderBody(error.body, neutral, `${runtime.baseUrl}/2/problems`) as Record<string, unknown>, true)
  }
}

/** As JSON writes it: without members that have no value. */
const asObject = (value: unknown): Record<string, unknown> => JSON.parse(JSON.stringify(value ?? {}))

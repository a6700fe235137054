import type { CallToolResult } from '@modelcontextprotocol/server'
import { type AdsError, invalidParameter, refusal } from '../ads/kit/errors.ts'
import { ADS_VERSION } from '../ads/kit/serving/addresses.ts'
import { callAdsOperation } from '../ads/kit/serving/call-ads-operation.ts'
import type { Caller } from '../api-kit/declaring/caller.ts'
import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { neutral } from '../api-kit/naming/naming.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import type { RequestNotes } from '../api-kit/serving/serve-request.ts'
import { adsLegacyNaming } from '../legacy-words.ts'
import { type AdsTool, adsTools } from './ads-tools.ts'
import { type ToolSet, toolResult } from './protocol-server.ts'

const INSTRUCTIONS = `Tools for advertising. Begin with list_ads_accounts: the others take its ids as account_id.
An account has funding instruments, campaigns, line items in campaigns, and targeting criteria and promoted posts in line items.
Amounts are in millionths of the currency unit (micros): 5 dollars are 5000000. Times are UTC.
New campaigns and line items are PAUSED. activate_campaign and activate_line_item start them, and from then on they spend money.
Lists have pages: pass next_cursor as cursor to get the next one.`

/** Who calls the tools, and where. */
export interface AdsToolCall {
  request: { facts: RequestFacts; notes: RequestNotes }
  caller: Caller & { user: NonNullable<Caller['user']> }
  sandbox: boolean
}

/** The tools of the advertising interface for one user. */
export function adsToolSet(runtime: Runtime, call: AdsToolCall): ToolSet {
  return {
    name: 'rostra-ads',
    title: 'Rostra advertising',
    version: ADS_VERSION,
    instructions: INSTRUCTIONS,
    list: () =>
      [...adsTools().values()].map(({ name, title, description, inputSchema, annotations }) => ({
        name,
        title,
        description,
        inputSchema,
        annotations,
      })),
    call: (name, args) => {
      const tool = adsTools().get(name)
      return tool && callTool(runtime, call, tool, args)
    },
  }
}

async function callTool(
  runtime: Runtime,
  { request, caller, sandbox }: AdsToolCall,
  tool: AdsTool,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const refuse = (errors: readonly AdsError[]) => {
    note(request.notes, tool.name, errors[0]?.message)
    return toolResult({ errors: errors.map((error) => error.toReply(neutral)) }, true)
  }
  if (!caller.scopes.has(tool.scope))
    return refuse(
      refusal('UNAUTHORIZED_ACCESS', `The tool ${tool.name} needs a token with the scope ${tool.scope}`).errors,
    )
  const unknown = Object.keys(args).filter(
    (name) => !Object.hasOwn(tool.inputSchema.properties, adsLegacyNaming.restore(name)),
  )
  const allowed = Object.keys(tool.inputSchema.properties).join(', ') || 'none'
  if (unknown.length > 0)
    return refuse(
      unknown
        .slice(0, MOST_ERRORS)
        .map((name) => invalidParameter(name.slice(0, 100), `is not an argument of the tool; allowed are ${allowed}`)),
    )
  const values = { ...args, ...tool.sets }
  const answer = await callAdsOperation(runtime, request, caller, tool.operation, { values, sandbox })
  note(request.notes, tool.name, answer.reason)
  const { request: _echo, ...body } = JSON.parse(answer.text) as Record<string, unknown>
  return toolResult(body, answer.status >= 400)
}

const MOST_ERRORS = 10

/** The request log has the tools that a message called, and why they were refused. */
function note(notes: RequestNotes, tool: string, refused: string | undefined): void {
  const before = notes.details?.tools
  notes.details = {
    ...notes.details,
    tools: before === undefined ? tool : `${before}, ${tool}`,
    ...(refused === undefined ? {} : { refused }),
  }
}

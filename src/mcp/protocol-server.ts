import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { parseJsonBody } from '../api-kit/reading/body.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { Answer } from '../api-kit/writing/answer.ts'
import { Problem } from '../api-kit/writing/problem.ts'

/** A set of tools, as a client of the protocol sees it. */
export interface ToolSet {
  name: string
  title: string
  version: string
  /** What a model should know before it uses the tools. */
  instructions: string
  list(): Tool[]
  /** Undefined when there is no such tool. */
  call(name: string, args: Record<string, unknown>): Promise<CallToolResult> | undefined
}

/** The most messages of a batch: each may be a call, and they run at the same time. */
const MOST_MESSAGES = 20

/** Largest body of a message, in bytes. */
export const MESSAGE_BYTES = 1024 * 1024

// Loaded at the first message: it takes a fifth of a second and 25 MB, and most servers never get one.
let sdk: Promise<typeof import('@modelcontextprotocol/server')> | undefined
const loadSdk = () => {
  sdk ??= import('@modelcontextprotocol/server')
  return sdk
}

/**
 * The refusal of a request that a page of another site sent; undefined where it may pass. A page whose name leads to this machine (DNS
 * rebinding) also names itself as the host, so the host of the request decides nothing. Programs that are not browsers send no origin.
 */
export async function refusedOrigin({ headers }: RequestFacts, { baseUrl }: Runtime): Promise<Answer | undefined> {
  if (headers.origin === undefined) return undefined
  const { localhostAllowedOrigins, validateOriginHeader } = await loadSdk()
  const allowed = [...localhostAllowedOrigins(), new URL(baseUrl).hostname]
  const result = validateOriginHeader(String(headers.origin), allowed)
  return result.ok ? undefined : protocolError(403, -32_000, result.message)
}

/**
 * Answers a message of the Model Context Protocol, in all revisions that its SDK has. Nothing is kept between messages, so every
 * process can answer each of them.
 */
export async function answerMessage(runtime: Runtime, request: RequestFacts, tools: ToolSet): Promise<Answer> {
  const isPost = request.method === 'POST'
  if (isPost && !acceptsBoth(request))
    return protocolError(406, -32_000, 'Not Acceptable: Client must accept both application/json and text/event-stream')
  const contentType = String(request.headers['content-type'] ?? '')
  let body: unknown
  if (isPost && /^application\/json\s*(?:;|$)/i.test(contentType)) {
    try {
      body = parseJsonBody(request.body, contentType)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return protocolError(400, -32_700, `Parse error: ${wordsOf(error)}`)
    }
    if (body === undefined) return protocolError(400, -32_700, 'Parse error: the request has no body')
    if (Array.isArray(body) && (body.length === 0 || body.length > MOST_MESSAGES))
      return protocolError(400, -32_600, `Invalid Request: a batch has 1 to ${MOST_MESSAGES} messages`)
  }
  const { createMcpHandler } = await loadSdk()
  const handler = createMcpHandler(() => createToolServer(tools), {
    responseMode: 'sse',
    keepAliveMs: 0,
    // Tools never change while the server runs, so there is nothing to subscribe to.
    maxSubscriptions: 0,
    onerror: (error) => runtime.log.debug({ err: error }, 'a message of the Model Context Protocol was refused'),
  })
  const response = await handler.fetch(webRequest(request), body === undefined ? {} : { parsedBody: body })
  const text = await response.text()
  const allow = response.headers.get('allow')
  return new Answer(text, {
    status: response.status,
    contentType: response.headers.get('content-type') ?? 'application/json; charset=utf-8',
    headers: allow === null ? {} : { allow },
    reason: response.status >= 400 ? reasonOf(text) : undefined,
  })
}

async function createToolServer(tools: ToolSet) {
  const { Server, ProtocolError, ProtocolErrorCode } = await loadSdk()
  const { name, title, version, instructions } = tools
  const server = new Server({ name, title, version }, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler('tools/list', () => ({ tools: tools.list() }))
  server.setRequestHandler('tools/call', ({ params }) => {
    const result = tools.call(params.name, params.arguments ?? {})
    if (!result)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${params.name.slice(0, 100)}; tools/list lists them`,
      )
    return result
  })
  return server
}

/** The result of a call: JSON, as text for models and as data for programs. */
export function toolResult(body: Record<string, unknown>, isError: boolean): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(body) }],
    structuredContent: body,
    ...(isError ? { isError } : {}),
  }
}

function acceptsBoth({ headers }: RequestFacts): boolean {
  const accept = String(headers.accept ?? '').toLowerCase()
  return ['application/json', 'text/event-stream'].every((type) => accept.includes(type))
}

/** The request as the SDK reads it, with the headers that the protocol has. */
function webRequest({ method, baseUrl, path, headers }: RequestFacts): Request {
  const kept = Object.entries(headers).filter(([name]) => /^(?:accept|content-type|last-event-id|mcp-.*)$/.test(name))
  return new Request(baseUrl + path, { method, headers: kept.map(([name, value]) => [name, String(value)]) })
}

/** A refusal before the SDK has seen the message. */
const protocolError = (status: number, code: number, message: string): Answer =>
  new Answer(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }), { status, reason: message })

function wordsOf(problem: Problem): string {
  const [first] = (problem.body.errors ?? []) as { message?: string }[]
  return first?.message ?? 'the body cannot be read'
}

function reasonOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message
  } catch {
    return undefined
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { faultWords } from '../api-kit/faults/noted-fault.ts'
import type { ShownCapture } from '../api-kit/serving/capture.ts'
import { type RecordedRequest, shortlyBefore } from '../api-kit/serving/request-log.ts'
import { coloured, statusColour } from './colour.ts'
import { type CliCommand, UsageError } from './command-line.ts'
import { callRunning } from './reach-runtime.ts'
import { noServer } from './where.ts'

const POLL_MS = 400

function line(item: RecordedRequest): string {
  const who = [item.app, item.user && `@${item.user}`].filter(Boolean).join(' ') || '-'
  const cost = item.cost_micros === undefined ? '' : `  cost ${item.cost_micros / 1_000_000}`
  const first = `${item.time.slice(11, 23)} ${coloured(statusColour(item.status), String(item.status))} ${item.method.padEnd(6)} ${item.path}  ${who}${item.latency_ms === undefined ? '' : `  ${item.latency_ms} ms`}${cost}`
  const details = Object.entries(item.details ?? {}).map(([name, value]) => `\n    ${name}: ${value}`)
  const refused = item.reason ? `\n    ${coloured('yellow', 'refused:')} ${item.reason}` : ''
  const fault = item.fault?.effect === 'delay' ? `\n    ${faultWords(item.fault)}` : ''
  return `${first}${refused}${fault}${details.join('')}`
}

interface Detail extends RecordedRequest {
  exchange: ShownCapture | null
}

const block = (title: string, headers: Record<string, string>, body: string | undefined): string =>
  [
    coloured('cyan', title),
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
    ...(body === undefined ? [] : ['', body]),
  ].join('\n')

const logShowCommand: CliCommand = {
  name: 'log show',
  summary: 'Shows one request of the log with its headers and bodies, or how to send it again.',
  positionals: '<seq>',
  flags: { curl: { help: 'as a curl command, with a new credential of the same kind' } },
  run: async (call) => {
    const [seq, ...others] = call.positionals
    if (!seq || others.length > 0) throw new UsageError('Name one request: `rostra log --json` has the seq of each.')
    if (call.flags.curl) {
      const path = '/_rostra/commands/request.repeat'
      const made = (await callRunning(call.settings, 'POST', path, { seq })) as { curl: string } | undefined
      if (!made) throw await noServer(call.settings)
      return call.print(made, () => made.curl)
    }
    const item = (await callRunning(call.settings, 'GET', `/_rostra/requests/${seq}`)) as Detail | undefined
    if (!item) throw await noServer(call.settings)
    const { exchange } = item
    call.print(item, () =>
      [
        line(item),
        ...(exchange
          ? [
              block('Request', exchange.request_headers, exchange.request_body),
              block('Answer', exchange.response_headers, exchange.response_body),
            ]
          : ['Headers and bodies of this request are no longer kept.']),
      ].join('\n\n'),
    )
  },
}

const logListCommand: CliCommand = {
  name: 'log',
  summary: 'Shows the last requests of the running server, and why any were refused.',
  flags: {
    follow: { help: 'keep showing new requests' },
    app: { value: '<app id>', help: 'only requests of this app' },
    refused: { help: 'only refused requests' },
    limit: { value: '<number>', help: 'how many to start with; default 20' },
  },
  run: async (call) => {
    let after: string | undefined
    let shown = new Set<string>()
    do {
      const query = new URLSearchParams({ limit: after === undefined ? String(call.flags.limit ?? 20) : '1000' })
      if (after !== undefined) query.set('after', after)
      if (typeof call.flags.app === 'string') query.set('app', call.flags.app)
      if (call.flags.refused) query.set('refused', 'true')
      const answer = (await callRunning(call.settings, 'GET', `/_rostra/requests?${query}`)) as
        | { requests: RecordedRequest[] }
        | undefined
      if (!answer) throw await noServer(call.settings)
      for (const item of answer.requests) if (!shown.has(item.seq)) call.print(item, () => line(item))
      shown = new Set(answer.requests.map((item) => item.seq))
      const newest = answer.requests.at(-1)?.seq
      after = newest === undefined ? (after ?? '0') : shortlyBefore(newest)
      if (call.flags.follow) await pause(POLL_MS)
    } while (call.flags.follow)
  },
}

export const logCommands: CliCommand[] = [logListCommand, logShowCommand]

import { type CliCommand, only } from './command-line.ts'
import { runCommand } from './reach-runtime.ts'
import { pairs, table } from './words.ts'

interface Challenge {
  cause: string
  created_at: string
  address: string
  status: number | null
  answer: string | null
  expected: string
  passed: boolean
  reason: string | null
  ms: number
  url: string
  app: string
}

const APP = { app: { value: '<name or id>', help: 'only those of this app' } }

/** What was sent, and what came back. */
function transcript(item: Challenge): string {
  return [
    `${item.created_at}  ${item.cause}  ${item.passed ? 'passed' : `failed: ${item.reason}`}`,
    `  > GET ${item.address}`,
    `  < ${item.status ?? 'no answer'} after ${item.ms} ms${item.answer ? `: ${item.answer}` : ''}`,
    ...(item.passed ? [] : [`  expected response_token ${item.expected}`]),
  ].join('\n')
}

export const webhookCliCommands: CliCommand[] = [
  {
    name: 'webhooks',
    summary: 'Lists the webhooks of all apps with their state.',
    flags: { ...APP, after: { value: '<webhook id>', help: 'where the list goes on' } },
    run: async (call) => {
      const { app, after } = call.flags
      const answer = await runCommand(call.settings, 'webhooks.list', { app, after })
      const { webhooks, next } = answer as unknown as { webhooks: Record<string, unknown>[]; next: string | null }
      const columns = ['id', 'app', 'valid', 'pending', 'url', 'last_failure']
      const more = next === null ? '' : `\n\nMore: --after ${next}`
      call.print(answer, () => (webhooks.length === 0 ? 'No webhooks.' : `${table(webhooks, columns)}${more}`))
    },
  },
  {
    name: 'webhooks show',
    summary: 'Shows a webhook: what it gets, and its last challenges with what was sent and what came back.',
    positionals: '<webhook id>',
    flags: {},
    run: async (call) => {
      const answer = await runCommand(call.settings, 'webhook.show', { id: only(call.positionals, 'webhook id') })
      const {
        challenges,
        subscriptions,
        users,
        replays,
        last_delivery: _last,
        ...facts
      } = answer as unknown as {
        challenges: Challenge[]
        subscriptions: { event_type: string }[]
        users: { username: string }[]
        replays: unknown[]
        last_delivery: unknown
      }
      const shown = {
        ...facts,
        subscriptions: subscriptions.map((item) => item.event_type),
        users: users.map((item) => item.username),
        replays: replays.length,
      }
      call.print(answer, () => [pairs(shown), '', 'Challenges:', ...challenges.map(transcript)].join('\n'))
    },
  },
  {
    name: 'webhooks challenge',
    summary: 'Challenges a webhook now, and shows what came back.',
    positionals: '<webhook id>',
    flags: {},
    run: async (call) => {
      const answer = await runCommand(call.settings, 'webhook.challenge', { id: only(call.positionals, 'webhook id') })
      const { valid, challenge } = answer as unknown as { valid: boolean; challenge: Challenge }
      const state = valid ? 'The webhook is valid.' : 'The webhook is not valid and gets no events.'
      call.print(answer, () => `${transcript(challenge)}\n\n${state}`)
    },
  },
  {
    name: 'webhooks refused',
    summary: 'Lists the registrations that were refused because the challenge failed.',
    flags: { ...APP, before: { value: '<number>', help: 'where the list goes on' } },
    run: async (call) => {
      const { app, before } = call.flags
      const answer = await runCommand(call.settings, 'webhooks.refused', { app, before })
      const { challenges } = answer as unknown as { challenges: Challenge[] }
      const lines = challenges.map((item) => `${item.app}  ${item.url}\n${transcript(item)}`)
      call.print(answer, () => (lines.length === 0 ? 'No registration was refused.' : lines.join('\n\n')))
    },
  },
]

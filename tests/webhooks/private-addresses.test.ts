import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import type { Receiver } from './receiver.ts'
import { startServerWithReceiver } from './server-with-receiver.ts'

let server: TestServer
let receiver: Receiver
let close: () => Promise<void>
beforeAll(async () => {
  ;({ server, receiver, close } = await startServerWithReceiver(['--private-webhooks', 'off']))
})
afterAll(() => close())

const messageFor = async (url: string): Promise<string> => {
  const answer = await server.post('/2/webhooks', { url })
  expect(answer.status).toBe(400)
  expect(answer.body.errors[0].parameters).toEqual({ url: [url] })
  expect((await server.get('/2/webhooks')).body.meta.result_count).toBe(0)
  return answer.body.errors[0].message
}

describe('when private webhooks are off', () => {
  test('a receiver on this machine is not called', async () => {
    expect(await messageFor(receiver.url())).toBe('UrlValidationFailed: the url must begin with https://.')
    expect(await messageFor(receiver.url().replace('http:', 'https:'))).toBe(
      'UrlValidationFailed: the url cannot have a port.',
    )
    expect(receiver.challenges).toEqual([])
  })

  test('neither is an agent that decides for personas', async () => {
    for (const agent of [receiver.url(), receiver.url().replace('http:', 'https:'), 'http://example.com/']) {
      const answer = await server.tryCommand('live.start', { personas: 2, for: '1m', agent })
      expect(answer.body.errors[0].message).toContain('must begin with [https://] and have no port')
    }
  })

  test.each([
    'https://127.0.0.1/hook',
    'https://127.1/hook',
    'https://2130706433/hook',
    'https://0x7f.0.0.1/hook',
    'https://0.0.0.0/hook',
    'https://10.0.0.1/hook',
    'https://172.16.0.1/hook',
    'https://192.168.1.1/hook',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/hook',
    'https://[::1]/hook',
    'https://[::]/hook',
    'https://[::ffff:127.0.0.1]/hook',
    'https://[::ffff:a00:1]/hook',
    'https://[fd00::1]/hook',
    'https://[fe80::1]/hook',
    'https://[::127.0.0.1]/hook',
    'https://[::808:808]/hook',
    'https://[::ffff:0:7f00:1]/hook',
    'https://[64:ff9b::7f00:1]/hook',
    'https://[64:ff9b:1::7f00:1]/hook',
    'https://[2002:7f00:1::1]/hook',
    'https://[2002:808:808::1]/hook',
    'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/hook',
    'https://[fec0::1]/hook',
    'https://[5f00::1]/hook',
  ])('the literal address %s is refused as private', async (url) => {
    expect(await messageFor(url)).toMatch(/^CrcValidationFailed: .* is a private address\.$/)
  })

  test.each(['localhost', 'LOCALHOST', 'a-name-that-does-not-exist.invalid'])(
    'the refusal of %s does not tell what the name resolved to, or whether it did',
    async (host) => {
      expect(await messageFor(`https://${host}/hook`)).toBe(
        `CrcValidationFailed: the challenge got no answer: ${host.toLowerCase()} has no address on the public internet.`,
      )
    },
  )
})

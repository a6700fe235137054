// A webhook receiver in one file: it answers the challenge, checks the signature and prints each event.
// node examples/webhook-receiver.js [port] [credentials file]
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import http from 'node:http'

const port = Number(process.argv[2] ?? 4000)
const { apps } = JSON.parse(readFileSync(process.argv[3] ?? 'data/credentials.json', 'utf8'))
const secret = apps[0].api_key_secret
const signatureOf = (data) => `sha256=${createHmac('sha256', secret).update(data).digest('base64')}`

function hasValidSignature(request, body) {
  const given = Buffer.from(String(request.headers['x-rostra-webhooks-signature'] ?? ''))
  const expected = Buffer.from(signatureOf(body))
  return given.length === expected.length && timingSafeEqual(given, expected)
}

http
  .createServer((request, response) => {
    const token = new URL(request.url, 'http://localhost').searchParams.get('crc_token')
    if (request.method === 'GET' && token !== null) {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ response_token: signatureOf(token) }))
      console.log('challenge answered')
      return
    }
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const isSigned = hasValidSignature(request, body)
      response.writeHead(isSigned ? 200 : 401).end()
      console.log(isSigned ? 'signed event:' : 'refused, wrong signature:', body.toString())
    })
  })
  .listen(port, '127.0.0.1', () => console.log(`listening on http://localhost:${port}/hook`))

import { createPrivateKey, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'

/** The names that client libraries have built in. */
const NAMES = [
  'api.x.com',
  'x.com',
  'upload.x.com',
  'api.twitter.com',
  'twitter.com',
  'ads-api.x.com',
  'ads-api-sandbox.twitter.com',
]

/** The built-in addresses of client libraries, served on this machine by a test server behind TLS. */
export interface LegacyHost {
  /** For libraries that take an agent: every connection ends at the test server, whatever host was asked for. */
  agent: https.Agent
  /** For libraries that only use the global fetch: requests to built-in addresses go to the test server. */
  fetch: typeof fetch
  /** A person's browser without scripts: keeps cookies per host and does not follow redirects. */
  visitor(): Visitor
  /** What was asked of the built-in addresses, oldest first. */
  asked: { method: string; host: string; path: string; type: string; body: string }[]
  close(): Promise<void>
}

export interface Page {
  status: number
  text: string
  location: string | undefined
}

export interface Visitor {
  open(url: string): Promise<Page>
  /** Sends the form of a page whose action ends in `action`, with what the person typed or pressed. */
  send(page: Page, url: string, action: string, typed: Record<string, string>): Promise<Page>
  /** Opens a sign-in or consent link, signs in where asked, and presses a button; the answer is where it leads. */
  decide(url: string, who: { username: string; password: string }, decision: 'approve' | 'deny'): Promise<Page>
}

/** Puts TLS with the libraries' own host names in front of a server; the Host header stays as the client sent it. */
export async function startLegacyHost(target: { baseUrl: string }): Promise<LegacyHost> {
  const { key, cert } = makeCertificate(NAMES)
  const asked: LegacyHost['asked'] = []
  const to = new URL(target.baseUrl)
  const front = https.createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      asked.push({
        method: request.method ?? '',
        host: request.headers.host ?? '',
        path: request.url ?? '',
        type: request.headers['content-type'] ?? '',
        body: body.toString('utf8'),
      })
      const inner = http.request(
        {
          host: to.hostname,
          port: to.port,
          method: request.method,
          path: request.url,
          headers: request.headers,
          agent: false,
        },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
          answer.pipe(response)
        },
      )
      inner.on('error', () => response.destroy())
      inner.end(body)
    })
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const { port } = front.address() as AddressInfo

  class LocalAgent extends https.Agent {
    override createConnection(options: http.ClientRequestArgs, done?: never) {
      return super.createConnection({ ...options, host: '127.0.0.1', port } as http.ClientRequestArgs, done)
    }
  }
  const agent = new LocalAgent({ ca: cert, keepAlive: false })
  const outside = globalThis.fetch
  const throughHost: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    if (!NAMES.includes(new URL(request.url).hostname)) return outside(input, init)
    const body = Buffer.from(await request.arrayBuffer())
    const answer = await call(agent, request.method, request.url, Object.fromEntries(request.headers), body)
    return new Response(answer.text, { status: answer.status, headers: answer.headers })
  }
  return {
    agent,
    fetch: throughHost,
    visitor: () => makeVisitor(agent),
    asked,
    close: async () => {
      agent.destroy()
      front.closeAllConnections()
      await new Promise((resolve) => front.close(resolve))
    },
  }
}

interface RawAnswer {
  status: number
  headers: [string, string][]
  text: string
}

function call(
  agent: https.Agent,
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: Buffer | string,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sized = body === undefined || body.length === 0 ? headers : { ...headers, 'content-length': `${body.length}` }
    const request = https.request(url, { method, headers: sized, agent }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const pairs: [string, string][] = []
        for (let i = 0; i < answer.rawHeaders.length; i += 2)
          pairs.push([answer.rawHeaders[i]!.toLowerCase(), answer.rawHeaders[i + 1]!])
        resolve({ status: answer.statusCode!, headers: pairs, text: Buffer.concat(chunks).toString('utf8') })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

function makeVisitor(agent: https.Agent): Visitor {
  const jars = new Map<string, Map<string, string>>()
  const visit = async (method: string, url: string, form?: Record<string, string>): Promise<Page> => {
    const { host } = new URL(url)
    const jar = jars.get(host) ?? new Map<string, string>()
    jars.set(host, jar)
    const headers: Record<string, string> = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }
    if (form) headers['content-type'] = 'application/x-www-form-urlencoded'
    const answer = await call(agent, method, url, headers, form && new URLSearchParams(form).toString())
    for (const [name, value] of answer.headers) {
      if (name !== 'set-cookie') continue
      const [pair] = value.split(';')
      jar.set(pair!.slice(0, pair!.indexOf('=')), pair!.slice(pair!.indexOf('=') + 1))
    }
    const location = answer.headers.find(([name]) => name === 'location')?.[1]
    return { status: answer.status, text: answer.text, location: location && new URL(location, url).href }
  }
  const send: Visitor['send'] = (page, url, action, typed) => {
    const forms = [...page.text.matchAll(/<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/g)]
    const form = forms.find((match) => match[1]!.endsWith(action))
    if (!form) throw new Error(`no form to ${action} on the page: ${page.status} ${page.text.slice(0, 2000)}`)
    const hidden = [...form[2]!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map((match) => [
      match[1]!,
      unescapeHtml(match[2]!),
    ])
    return visit('POST', new URL(form[1]!, url).href, { ...Object.fromEntries(hidden), ...typed })
  }
  return {
    open: (url) => visit('GET', url),
    send,
    decide: async (url, who, decision) => {
      let page = await visit('GET', url)
      if (page.text.includes('name="password"')) {
        const signedIn = await send(page, url, '/i/sign-in', { username: who.username, password: who.password })
        if (signedIn.location === undefined) throw new Error(`sign-in failed: ${signedIn.status}`)
        page = await visit('GET', signedIn.location)
      }
      if (!page.text.includes('name="decision"')) return page
      return send(page, url, new URL(url).pathname, { decision })
    },
  }
}

const unescapeHtml = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

// Node can sign bytes but not make certificates; the few DER shapes of one are written out here: the tests need
// neither openssl nor a package.
const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const utcTime = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))

const ECDSA_WITH_SHA256 = '2a8648ce3d040302'
const COMMON_NAME = '550403'
const BASIC_CONSTRAINTS = '551d13'
const SUBJECT_ALT_NAME = '551d11'
const DAY_MS = 86_400_000

/** A key and a self-signed certificate for some host names. */
function makeCertificate(names: string[]): { key: string; cert: string } {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const algorithm = sequence(identifier(ECDSA_WITH_SHA256))
  const name = sequence(der(0x31, sequence(identifier(COMMON_NAME), der(0x0c, Buffer.from('Rostra tests')))))
  const extension = (id: string, value: Buffer) => sequence(identifier(id), der(0x04, value))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(utcTime(new Date(Date.now() - DAY_MS)), utcTime(new Date(Date.now() + DAY_MS))),
    name,
    pair.publicKey,
    der(
      0xa3,
      sequence(
        extension(BASIC_CONSTRAINTS, sequence(der(0x01, Buffer.from([0xff])))),
        extension(SUBJECT_ALT_NAME, sequence(...names.map((host) => der(0x82, Buffer.from(host))))),
      ),
    ),
  )
  const signature = signBytes('sha256', body, createPrivateKey(pair.privateKey))
  const whole = sequence(body, algorithm, der(0x03, Buffer.from([0]), signature))
  const lines = whole.toString('base64').match(/.{1,64}/g)!
  return {
    key: pair.privateKey,
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type net from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Authority, openAuthority } from '../../src/front/authority.ts'
import { makeServerCertificate } from '../../src/front/certificate.ts'
import { explainArrivals } from '../../src/front/explain-arrivals.ts'
import { type Front, startFront } from '../../src/front/front.ts'
import { type RunningProxy, startProxy } from '../../src/front/proxy.ts'
import { javaTrustStore, trustedCertificates } from '../../src/front/trust.ts'
import { writeWays } from '../../src/front/ways-in.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-11-16T08:00:00Z')

let folder: string
let authority: Authority
let front: Front
let proxy: RunningProxy
/** Stands for the server: says which host it was asked for. */
let target: http.Server
/** A host that is not the platform's. */
let other: http.Server
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'rostra-front-'))
  authority = openAuthority(folder)
  target = await listen((request, response) => response.end(`target ${request.headers.host} ${request.url}`))
  other = await listen((request, response) => response.end(`other ${request.url}`))
  front = await startFront(authority, { host: '127.0.0.1', port: portOf(target) })
  proxy = await startProxy(front, {})
})
afterAll(async () => {
  await proxy.close()
  await front.close()
  for (const server of [target, other]) server.close()
  rmSync(folder, { recursive: true })
})

const portOf = (server: net.Server) => (server.address() as AddressInfo).port
const listen = (answer: http.RequestListener) =>
  new Promise<http.Server>((resolve) => {
    const server = http.createServer(answer).listen(0, '127.0.0.1', () => resolve(server))
  })

/** The body of an answer at a name of the platform, as a program gets it that connects to the front. */
const ask = (name: string, options: https.RequestOptions = {}) =>
  new Promise<string>((resolve, reject) => {
    const where = { host: '127.0.0.1', port: front.tlsPort, servername: name, headers: { host: name }, path: '/2/x' }
    https
      .get({ ...where, ca: authority.certificate, agent: false, ...options }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        answer.on('end', () => resolve(text))
      })
      .on('error', reject)
  })

describe('the local authority', () => {
  test('is made once, with keys that only this user can read', () => {
    expect(openAuthority(folder)).toEqual(authority)
    for (const name of ['authority.key', 'server.key'])
      expect(statSync(path.join(folder, 'authority', name)).mode & 0o777).toBe(0o600)
  })

  test('renews the certificate of the names before it expires, and itself much later', () => {
    const own = mkdtempSync(path.join(tmpdir(), 'rostra-front-'))
    const first = openAuthority(own, NOW)
    expect(openAuthority(own, NOW + 300 * DAY_MS).server.key).toBe(first.server.key)
    const second = openAuthority(own, NOW + 380 * DAY_MS)
    expect(second.server.key).not.toBe(first.server.key)
    expect(second.certificate).toBe(first.certificate)
    expect(openAuthority(own, NOW + 3_300 * DAY_MS).certificate).not.toBe(first.certificate)
    rmSync(own, { recursive: true })
  })

  test('makes new certificates where the files are damaged', () => {
    const own = mkdtempSync(path.join(tmpdir(), 'rostra-front-'))
    openAuthority(own)
    writeFileSync(path.join(own, 'authority', 'server.pem'), 'nothing')
    const { server } = openAuthority(own)
    expect(new X509Certificate(server.certificate).subjectAltName).toContain('DNS:api.')
    rmSync(own, { recursive: true })
  })

  test('cannot sign for a name that is not below the platform’s domains', async () => {
    const key = readFileSync(path.join(folder, 'authority', 'authority.key'), 'utf8')
    const read = new X509Certificate(authority.certificate)
    const commonName = /^CN=(.*)$/m.exec(read.subject)![1]!
    const publicKey = read.publicKey.export({ type: 'spki', format: 'der' })
    const signer = { key, certificate: authority.certificate, commonName, publicKey }
    const outcomes = []
    for (const name of ['api.x.com', 'bank.test']) {
      const made = makeServerCertificate(signer, [name], Date.now(), 90)
      const server = tls.createServer({ key: made.key, cert: made.certificate }).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const where = { host: '127.0.0.1', port: portOf(server), servername: name, ca: authority.certificate }
      outcomes.push(
        await new Promise((resolve) => {
          const socket = tls.connect(where, () => resolve('trusted')).on('error', (error) => resolve(error.message))
          socket.once('close', () => server.close())
          socket.once('secureConnect', () => socket.end())
        }),
      )
    }
    expect(outcomes).toEqual(['trusted', 'permitted subtree violation'])
  })
})

describe('the front', () => {
  test.each([
    'api.twitter.com',
    'api.x.com',
    'upload.x.com',
    'ads-api-sandbox.twitter.com',
    'x.com',
    't.co',
    'pbs.twimg.com',
  ])('serves %s and keeps the host', async (name) => {
    expect(await ask(name)).toBe(`target ${name} /2/x`)
    expect(front.arrivals.served.get(name)).toBe(1)
  })

  test('notes the name of a client that does not trust the certificate', async () => {
    await expect(ask('stream.x.com', { ca: [] })).rejects.toThrow()
    await expect.poll(() => [...front.arrivals.distrusted.keys()]).toContain('stream.x.com')
  })

  test('answers 503 where the server is gone', async () => {
    const gone = await startFront(authority, { host: '127.0.0.1', port: 9 })
    const answer = await fetch(`http://127.0.0.1:${gone.plainPort}/`)
    expect(answer.status).toBe(503)
    await gone.close()
  })
})

/** A tunnel through a proxy, as far as its first answer. */
const tunnel = (port: number, to: string) =>
  new Promise<{ status: number; socket: net.Socket }>((resolve, reject) => {
    http
      .request({ host: '127.0.0.1', port, method: 'CONNECT', path: to })
      .on('connect', (answer, socket) => resolve({ status: answer.statusCode!, socket }))
      .on('error', reject)
      .end()
  })

/** A request with a whole address, as clients send it to a proxy. */
const throughProxy = (port: number, url: string) =>
  new Promise<string>((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: url, headers: { host: new URL(url).host }, agent: false }, (answer) => {
        let text = `${answer.statusCode} `
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        answer.on('end', () => resolve(text))
      })
      .on('error', reject)
  })

describe('the proxy', () => {
  test('leads the platform’s names to the front and others where they always led', async () => {
    const { socket } = await tunnel(proxy.port, 'api.x.com:443')
    expect(
      await ask('api.x.com', {
        createConnection: () => tls.connect({ socket, servername: 'api.x.com', ca: authority.certificate }),
      } as never),
    ).toBe('target api.x.com /2/x')
    const passed = await tunnel(proxy.port, `127.0.0.1:${portOf(other)}`)
    passed.socket.write('GET /far HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    const text = await new Promise<string>((resolve) => {
      let all = ''
      passed.socket.on('data', (part) => {
        all += part
      })
      passed.socket.on('end', () => resolve(all))
    })
    expect(text).toContain('other /far')
  })

  test('forwards whole addresses, also those with https that older clients send', async () => {
    expect(await throughProxy(proxy.port, 'http://api.x.com/2/a?b=1')).toBe('200 target api.x.com /2/a?b=1')
    expect(await throughProxy(proxy.port, 'https://api.twitter.com/2/a')).toBe('200 target api.twitter.com /2/a')
    expect(await throughProxy(proxy.port, `http://127.0.0.1:${portOf(other)}/a`)).toBe('200 other /a')
  })

  test('reaches other hosts through the proxy that the user has set', async () => {
    const asked: string[] = []
    const outer = await listen((request, response) => {
      asked.push(request.url!)
      response.end('from the outer proxy')
    })
    outer.on('connect', (request, socket) => {
      asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`)
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    })
    const address = `http://me:secret@127.0.0.1:${portOf(outer)}`
    const chained = await startProxy(front, { HTTPS_PROXY: address, http_proxy: address, NO_PROXY: 'near.test' })
    expect(await throughProxy(chained.port, 'http://far.test/a')).toBe('200 from the outer proxy')
    expect((await tunnel(chained.port, 'far.test:443')).status).toBe(502)
    expect((await throughProxy(chained.port, 'http://api.x.com/2/a')).startsWith('200 target')).toBe(true)
    expect((await throughProxy(chained.port, 'http://near.test/a')).startsWith('502')).toBe(true)
    expect(asked).toEqual(['http://far.test/a', `CONNECT far.test:443 Basic ${btoa('me:secret')}`])
    await chained.close()
    outer.close()
  })

  test('refuses what is not a request to a proxy', async () => {
    expect((await fetch(`http://127.0.0.1:${proxy.port}/2/x`)).status).toBe(400)
    expect((await tunnel(proxy.port, 'nonsense')).status).toBe(400)
  })
})

describe('the variables of a run', () => {
  const ways = (environment: NodeJS.ProcessEnv) =>
    writeWays(folder, authority, { tls: 1, plain: 2, proxy: 3 }, environment).variables

  test('keep and extend what the user has set', () => {
    const set = ways({ NODE_OPTIONS: '--no-warnings', PYTHONPATH: '/lib', PHP_INI_SCAN_DIR: '/etc/php' })
    expect(set.NODE_OPTIONS).toBe(`--no-warnings --require ${folder}/node.cjs`)
    expect(set.PYTHONPATH).toBe(`${folder}/python:/lib`)
    expect(set.PHP_INI_SCAN_DIR).toBe(`/etc/php:${folder}/php`)
    expect(ways({}).PHP_INI_SCAN_DIR).toBe(`:${folder}/php`)
  })

  test('do not let the platform’s names pass by the proxy', () => {
    const set = ways({ NO_PROXY: '*,corp.test,.x.com,api.twitter.com,[::1]' })
    expect(set.NO_PROXY).toBe('corp.test,::1,localhost,127.0.0.1')
    expect(set.no_proxy).toBe(set.NO_PROXY)
  })

  test('trust the authorities of the system, those that the user has added, and ours', () => {
    const extra = path.join(folder, 'extra.pem')
    const added = openAuthority(path.join(folder, 'elsewhere')).certificate.trim()
    writeFileSync(extra, added)
    const trusted = trustedCertificates({ NODE_EXTRA_CA_CERTS: extra }, authority.certificate)
    expect(trusted.length).toBeGreaterThan(50)
    expect(trusted.slice(-2)).toEqual([added, authority.certificate.trim()])
    expect(trustedCertificates({ SSL_CERT_FILE: extra }, authority.certificate)).toHaveLength(2)
    const store = javaTrustStore(trusted.slice(-2), NOW)
    expect([store.readUInt32BE(0).toString(16), store.readUInt32BE(8)]).toEqual(['feedfeed', 2])
  })
})

describe('what is said at the end', () => {
  const arrivals = (served: string[], distrusted: string[]) => ({
    served: new Map(served.map((name) => [name, 1])),
    distrusted: new Map(distrusted.map((name) => [name, 'unknown ca'])),
  })

  test('is nothing where requests arrived, at the names or at the base address', () => {
    expect(explainArrivals(arrivals(['api.x.com'], ['api.x.com']), false)).toBeUndefined()
    expect(explainArrivals(arrivals([], []), true)).toBeUndefined()
  })

  test('tells missing trust from a program that never came', () => {
    expect(explainArrivals(arrivals([], ['api.x.com']), false)).toContain('did not trust the certificate')
    expect(explainArrivals(arrivals([], []), false)).toContain('Nothing reached the server')
  })
})

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import net, { type Socket } from 'node:net'
import { type Front, join, listening, portOf } from './front.ts'
import { isPlatformName } from './platform-name.ts'
import { isExempt, openTunnel, type UserProxy, userProxy } from './user-proxy.ts'

/** A proxy for programs that take one: the platform's names lead to the front, other hosts where they always led. */
export interface RunningProxy {
  /** On 127.0.0.1: nobody else on the network can use it. */
  port: number
  /** Also listens on a path, for programs in a network of their own. */
  listen(where: net.ListenOptions): Promise<void>
  close(): Promise<void>
}

const LOCALHOST = '127.0.0.1'
const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n'

/** Starts the proxy. Other hosts are reached through the proxy that the user's own variables name, where they name one. */
export async function startProxy(front: Front, environment: NodeJS.ProcessEnv): Promise<RunningProxy> {
  const open = new Set<Socket>()
  const keep = (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  }
  const tunnel = (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const target = hostAndPort(request.url ?? '')
    if (!target) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    connect(target, front, environment).then(
      (other) => {
        keep(other)
        socket.write(ESTABLISHED)
        if (head.length > 0) other.write(head)
        join(socket, other)
      },
      (error: Error) => socket.end(`HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/plain\r\n\r\n${error.message}\n`),
    )
  }
  const servers: http.Server[] = []
  const listenOn = async (where: net.ListenOptions): Promise<http.Server> => {
    const server = http.createServer((request, response) => void forward(request, response, front, environment))
    server.on('connection', keep)
    server.on('connect', tunnel)
    server.on('clientError', (_error, socket) => socket.destroy())
    await listening(server, where)
    servers.push(server)
    return server
  }
  const first = await listenOn({ host: LOCALHOST, port: 0 })
  return {
    port: portOf(first),
    listen: async (where) => void (await listenOn(where)),
    close: async () => {
      for (const socket of open) socket.destroy()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

interface HostAndPort {
  host: string
  port: number
}

/** `host:port`, also `[::1]:443`. */
function hostAndPort(text: string): HostAndPort | undefined {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([^:[\]/\s]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = bracketed ?? plain
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) }
}

async function connect(target: HostAndPort, front: Front, environment: NodeJS.ProcessEnv): Promise<Socket> {
  if (isPlatformName(target.host))
    return connected(net.connect({ host: LOCALHOST, port: target.port === 80 ? front.plainPort : front.tlsPort }))
  const outer = proxyFor('https', target, environment)
  return outer ? openTunnel(outer, target) : connected(net.connect({ ...target, autoSelectFamily: true }))
}

function proxyFor(
  scheme: 'http' | 'https',
  target: HostAndPort,
  environment: NodeJS.ProcessEnv,
): UserProxy | undefined {
  return isExempt(target, environment) ? undefined : userProxy(scheme, environment)
}

const connected = (socket: Socket): Promise<Socket> =>
  new Promise((resolve, reject) => {
    socket.setNoDelay(true)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })

/** A request with a whole address: `GET http://host/path`. Some older clients also send `https://` this way. */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  front: Front,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url!) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    response.writeHead(400, { 'content-type': 'text/plain' })
    return void response.end('This is a proxy. Send it requests with a whole address, or CONNECT.\n')
  }
  const answered = (answer: IncomingMessage) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders)
    answer.pipe(response)
  }
  const onward = onwardRequest(request, url, front, environment)
  onward.on('response', answered)
  onward.on('error', (error) => {
    if (response.headersSent) return void response.destroy()
    response.writeHead(502, { 'content-type': 'text/plain' })
    response.end(`${error.message}\n`)
  })
  response.once('close', () => onward.destroy())
  request.pipe(onward)
}

function onwardRequest(
  { method, rawHeaders }: IncomingMessage,
  url: URL,
  front: Front,
  environment: NodeJS.ProcessEnv,
): http.ClientRequest {
  const headers = withoutHopHeaders(rawHeaders)
  const isSecure = url.protocol === 'https:'
  const path = url.pathname + url.search
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const target = { host, port: Number(url.port) || (isSecure ? 443 : 80) }
  if (isPlatformName(host)) return http.request({ host: LOCALHOST, port: front.plainPort, method, path, headers })
  const outer = proxyFor(isSecure ? 'https' : 'http', target, environment)
  if (!outer) return (isSecure ? https : http).request({ ...target, method, path, headers })
  if (isSecure) return https.request({ ...target, method, path, headers, agent: tunnelAgent(outer, target) })
  const authorized = outer.authorization ? [...headers, 'proxy-authorization', outer.authorization] : headers
  const { hostname, port } = outer.url
  const request = outer.url.protocol === 'https:' ? https.request : http.request
  return request({ host: hostname, port: outer.port || port, method, path: url.href, headers: authorized })
}

/** An agent whose one connection goes through a proxy of the user. */
function tunnelAgent(outer: UserProxy, target: HostAndPort): https.Agent {
  const agent = new https.Agent()
  const plain = agent.createConnection.bind(agent)
  agent.createConnection = (options, done) => {
    openTunnel(outer, target).then(
      (socket) => done?.(null, plain({ ...options, socket } as http.ClientRequestArgs)!),
      // Node reads the error first, and then no connection.
      (error: Error) => (done as (error: Error) => void)(error),
    )
    return undefined
  }
  return agent
}

/** Headers between the client and this proxy are not the target's. */
function withoutHopHeaders(rawHeaders: string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!/^(proxy-connection|proxy-authorization|connection|keep-alive)$/i.test(rawHeaders[at]!))
      kept.push(rawHeaders[at]!, rawHeaders[at + 1]!)
  return kept
}

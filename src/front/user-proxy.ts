import net, { type Socket } from 'node:net'
import tls from 'node:tls'

/** The proxy that the user has set for other programs. */
export interface UserProxy {
  url: URL
  port: number
  authorization: string | undefined
}

/** The proxy that the user's variables name for a scheme. */
export function userProxy(scheme: 'http' | 'https', environment: NodeJS.ProcessEnv): UserProxy | undefined {
  const names = [`${scheme}_proxy`, `${scheme.toUpperCase()}_PROXY`, 'all_proxy', 'ALL_PROXY']
  const given = names.map((name) => environment[name]).find((text) => text !== undefined && text !== '')
  if (given === undefined) return undefined
  const text = given.includes('://') ? given : `http://${given}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  const account = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    url,
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    authorization: account === ':' ? undefined : `Basic ${Buffer.from(account).toString('base64')}`,
  }
}

/** Whether the user's NO_PROXY names a host. */
export function isExempt({ host, port }: { host: string; port: number }, environment: NodeJS.ProcessEnv): boolean {
  const list = environment.no_proxy || environment.NO_PROXY || ''
  const name = host.toLowerCase()
  if (/^(localhost$|127\.|::1$)/.test(name)) return true
  return list.split(/[\s,]+/).some((entry) => {
    const [, pattern, only] = /^(.+?)(?::(\d+))?$/.exec(net.isIPv6(entry) ? '' : entry.toLowerCase()) ?? []
    if (pattern === undefined) return entry !== '' && entry.toLowerCase() === name
    if (only !== undefined && Number(only) !== port) return false
    const suffix = pattern.replace(/^\*?\./, '')
    return pattern === '*' || name === suffix || name.endsWith(`.${suffix}`)
  })
}

const ANSWER_WITHIN_MS = 30_000
const LONGEST_HEAD = 16_384

/** A connection to a target through a proxy of the user. */
export function openTunnel(proxy: UserProxy, target: { host: string; port: number }): Promise<Socket> {
  const where = { host: proxy.url.hostname.replace(/^\[|\]$/g, ''), port: proxy.port }
  return new Promise((resolve, reject) => {
    const socket =
      proxy.url.protocol === 'https:' ? tls.connect({ ...where, servername: where.host }) : net.connect(where)
    const refuse = (reason: string) => {
      socket.destroy()
      reject(new Error(`The proxy ${proxy.url.host} ${reason}`))
    }
    const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`
    const authorization = proxy.authorization ? `proxy-authorization: ${proxy.authorization}\r\n` : ''
    socket.setTimeout(ANSWER_WITHIN_MS, () => refuse('does not answer.'))
    socket.once('error', reject)
    socket.once(proxy.url.protocol === 'https:' ? 'secureConnect' : 'connect', () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${authorization}\r\n`),
    )
    let head = Buffer.alloc(0)
    const read = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return head.length > LONGEST_HEAD ? refuse('sent too long an answer.') : undefined
      const [status = ''] = head.toString('latin1').split('\r\n')
      if (!/^HTTP\/1\.[01] 2\d\d/.test(status)) return refuse(`refused a connection to ${authority}: ${status}`)
      socket.off('data', read)
      socket.off('error', reject)
      socket.setTimeout(0)
      socket.pause()
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4))
      resolve(socket)
    }
    socket.on('data', read)
  })
}

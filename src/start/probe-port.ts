import { lookup } from 'node:dns/promises'
import net from 'node:net'

/**
 * Why a port cannot be used; undefined when it can. A name may stand for several addresses, as localhost does. Each is tried,
 * since a program on one of them would get a part of the requests.
 */
export async function probePort(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const addresses = await lookup(host, { all: true }).catch(() => [])
  const [first = host, ...others] = addresses.map((item) => item.address)
  const error = await tryToListen(first, port)
  if (error) return error
  for (const address of others) {
    const taken = await tryToListen(address, port)
    // This machine may not have the others.
    if (taken?.code === 'EADDRINUSE') return taken
  }
  return undefined
}

const tryToListen = (address: string, port: number) =>
  new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const probe = net.createServer()
    probe.once('error', resolve)
    probe.listen(port, address, () => probe.close(() => resolve(undefined)))
  })

import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PLATFORM_NAMES } from '../legacy-words.ts'
import { PROGRAM_FOLDER } from '../process/program-folder.ts'
import { findProgram } from './find-program.ts'
import type { Front } from './front.ts'
import type { RunningProxy } from './proxy.ts'
import { SYSTEM_BUNDLES } from './trust.ts'
import type { TrustFiles } from './trust-files.ts'

/** A private view of the machine for one program. */
export interface Isolation {
  /** The command that runs a command inside. */
  wrap(words: string[]): string[]
  /** What the user should know about it. */
  note: string | undefined
}

/** What is served inside a network namespace, by the sockets outside that it leads to. */
export interface InsideFacts {
  mounts: [from: string, to: string][]
  /** Addresses inside, and the path of the socket that each leads to. */
  forwarded: { host: string; port: number; path: string }[]
  user: number
  group: number
}

export interface IsolationOptions {
  front: Front
  proxy: RunningProxy
  trust: TrustFiles
  /** For files and sockets; only this user can open it. */
  folder: string
  /** The port of the server itself, which the program may use directly. */
  serverPort: number
  environment: NodeJS.ProcessEnv
}

/** The system does not allow it; the message says what is missing. */
export class CannotIsolate extends Error {}

/**
 * Makes a private mount namespace in which the hosts file leads the platform's names to the front, and the system trusts our
 * authority. It works for programs that take neither proxy nor variables. Who may not listen on port 443 gets a private network too.
 */
export async function isolate(options: IsolationOptions): Promise<Isolation> {
  const { front, environment } = options
  for (const tool of ['unshare', 'mount'])
    if (typeof findProgram(tool, environment) === 'number')
      throw new CannotIsolate(
        `--isolate needs the program ${tool}, which is part of util-linux. It works on Linux only.`,
      )
  const isRoot = process.geteuid!() === 0
  const separate = isRoot ? ['--mount'] : ['--user', '--map-root-user', '--mount']
  probe(separate)
  // An address of its own: 127.0.0.1:443 may be in use, also by another run.
  const address = `127.77.${randomInt(256)}.${1 + randomInt(254)}`
  const mounts = mountsFor(address, options)
  try {
    await front.listen({ tls: { host: address, port: 443 }, plain: { host: address, port: 80 } })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EACCES' && code !== 'EPERM') throw error
    return privateNetwork(address, mounts, options)
  }
  const setUp = mounts.map(([from, to]) => `mount --bind ${quoted(from)} ${quoted(to)}`)
  const script = ['set -e', ...setUp, 'exec "$@"'].join('\n')
  const own = isRoot ? [] : ownIds()
  return {
    wrap: (words) => ['unshare', ...separate, '--', 'sh', '-c', script, 'sh', ...own, ...guard(environment), ...words],
    note: undefined,
  }
}

/** Runs the program in a network of its own, where port 443 may be used; what it may reach is forwarded by sockets in the folder. */
async function privateNetwork(
  address: string,
  mounts: InsideFacts['mounts'],
  { front, proxy, folder, serverPort, environment }: IsolationOptions,
): Promise<Isolation> {
  if (typeof findProgram('ip', environment) === 'number')
    throw new CannotIsolate(
      '--isolate cannot use port 443 as this user, and needs the program ip (package iproute2) for a private network.',
    )
  const separate = ['--user', '--map-root-user', '--mount', '--net']
  probe(separate)
  const [tls, plain, proxied] = ['tls', 'plain', 'proxy'].map((name) => path.join(folder, `${name}.socket`)) as [
    string,
    string,
    string,
  ]
  await front.listen({ tls: { path: tls }, plain: { path: plain } })
  await proxy.listen({ path: proxied })
  const localhost = '127.0.0.1'
  const facts: InsideFacts = {
    mounts,
    forwarded: [
      { host: address, port: 443, path: tls },
      { host: address, port: 80, path: plain },
      { host: localhost, port: front.tlsPort, path: tls },
      { host: localhost, port: front.plainPort, path: plain },
      { host: localhost, port: proxy.port, path: proxied },
      { host: localhost, port: serverPort, path: plain },
    ],
    user: process.getuid!(),
    group: process.getgid!(),
  }
  const file = path.join(folder, 'inside.json')
  writeFileSync(file, JSON.stringify(facts))
  const inside = path.join(PROGRAM_FOLDER, 'front', 'inside-namespace.js')
  return {
    wrap: (words) => ['unshare', ...separate, '--', ...guard(environment), process.execPath, inside, file, ...words],
    note: 'this user may not listen on port 443, so the command has a network of its own: it reaches the platform’s names, the server and, by the proxy, other hosts, but no other service on localhost.',
  }
}

function probe(separate: string[]): void {
  const { status, stderr } = spawnSync('unshare', [...separate, 'true'], { encoding: 'utf8' })
  if (status === 0) return
  throw new CannotIsolate(
    `This system does not allow --isolate (unshare ${separate.join(' ')}: ${stderr.trim()}). A container needs the capability ` +
      'SYS_ADMIN; Ubuntu may need `sysctl kernel.apparmor_restrict_unprivileged_userns=0`. Without --isolate most programs work too.',
  )
}

/** Which files of the system are replaced inside. */
function mountsFor(address: string, { trust, folder, environment }: IsolationOptions): InsideFacts['mounts'] {
  const hosts = path.join(folder, 'hosts')
  const others = readFileSync('/etc/hosts', 'utf8')
    .split('\n')
    .filter((line) => !line.split(/\s+/).some((word) => PLATFORM_NAMES.includes(word)))
  writeFileSync(hosts, [...others, `${address} ${PLATFORM_NAMES.join(' ')}`, ''].join('\n'))
  const bundles = new Set(SYSTEM_BUNDLES.filter((file) => existsSync(file)).map((file) => realpathSync(file)))
  const stores = new Set(javaStores(environment))
  return [
    [hosts, realpathSync('/etc/hosts')],
    ...[...bundles].map((file) => [trust.bundle, file] as [string, string]),
    ...[...stores].map((file) => [trust.javaStore, file] as [string, string]),
  ]
}

/** The trust stores of the Java installations that a program may use. */
function javaStores(environment: NodeJS.ProcessEnv): string[] {
  const found = findProgram('java', environment)
  const homes = [
    environment.JAVA_HOME,
    typeof found === 'string' ? path.join(realpathSync(found), '..', '..') : undefined,
  ]
  return homes
    .filter((home) => home !== undefined)
    .map((home) => path.join(home!, 'lib', 'security', 'cacerts'))
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file))
}

/** Becomes the user again: mounting needs root in the namespace, but many programs refuse to run as root. */
const ownIds = (): string[] => ['unshare', `--map-user=${process.getuid!()}`, `--map-group=${process.getgid!()}`, '--']

/** A change of user ends the signal that a program gets when its parent dies, so it is asked for again. */
const guard = (environment: NodeJS.ProcessEnv): string[] =>
  typeof findProgram('setpriv', environment) === 'string' ? ['setpriv', '--pdeathsig', 'TERM', '--'] : []

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

import { createHash, X509Certificate } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PLATFORM_NAMES } from '../legacy-words.ts'
import { PROGRAM_FOLDER } from '../process/program-folder.ts'
import type { Authority } from './authority.ts'
import { isPlatformName } from './platform-name.ts'
import { bundleVariables, javaTrustOption, type TrustFiles, writeTrustFiles } from './trust-files.ts'

/** Where the pieces listen, on 127.0.0.1. */
export interface Ports {
  tls: number
  plain: number
  proxy: number
}

/** Files that programs are pointed at. */
export interface WayFiles {
  trust: TrustFiles
  variables: Record<string, string>
}

/**
 * Writes what programs read into a folder, and returns the variables that make each runtime take at least one way to the server:
 * a proxy, a list of trusted authorities, a file that is loaded first. What the user has set is kept and extended.
 */
export function writeWays(
  folder: string,
  authority: Authority,
  ports: Ports,
  environment: NodeJS.ProcessEnv,
): WayFiles {
  const put = (name: string, content: string | Buffer): string => {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 })
    writeFileSync(file, content)
    chmodSync(file, 0o644)
    return file
  }
  const trust = writeTrustFiles(folder, authority, environment)
  const authorityFile = put('authority.pem', authority.certificate)
  const values: Record<string, string> = {
    TLS_PORT: String(ports.tls),
    PLAIN_PORT: String(ports.plain),
    PROXY_PORT: String(ports.proxy),
    NAMES: PLATFORM_NAMES.join(),
    AUTHORITY: authorityFile,
    BUNDLE: trust.bundle,
  }
  const preload = (asset: string, name: string): string => put(name, filled(asset, values))
  values.PHP_PREPEND = preload('prepend.php', 'php/prepend.php')
  const node = preload('node.cjs', 'node.cjs')
  const python = path.dirname(preload('sitecustomize.py', 'python/sitecustomize.py'))
  const ruby = preload('ruby.rb', 'ruby.rb')
  const php = path.dirname(preload('php.ini', 'php/rostra.ini'))
  const wget = put('wgetrc', `${ownWgetSettings(environment)}\nca_certificate = ${trust.bundle}\n`)
  const proxy = `http://127.0.0.1:${ports.proxy}`
  const java = [
    ...['http', 'https'].flatMap((scheme) => [
      `-D${scheme}.proxyHost=127.0.0.1`,
      `-D${scheme}.proxyPort=${ports.proxy}`,
    ]),
    javaTrustOption(trust),
  ].join(' ')
  const after = (name: string, more: string) => [environment[name], more].filter(Boolean).join(' ')
  const variables: Record<string, string> = {
    ...each(['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'], proxy),
    ...each(['NO_PROXY', 'no_proxy'], withoutProxy(environment)),
    ...bundleVariables(trust),
    // For programs that can be told in their own way, such as browsers.
    ROSTRA_CA_FILE: authorityFile,
    ROSTRA_CERTIFICATE_SPKI: certificateKeyDigest(authority.server.certificate),
    PERL_LWP_ENV_PROXY: '1',
    WGETRC: wget,
    NODE_OPTIONS: after('NODE_OPTIONS', `--require ${node}`),
    BUN_OPTIONS: after('BUN_OPTIONS', `--preload=${node}`),
    RUBYOPT: after('RUBYOPT', `-r${ruby}`),
    PYTHONPATH: [python, environment.PYTHONPATH].filter(Boolean).join(path.delimiter),
    JAVA_TOOL_OPTIONS: after('JAVA_TOOL_OPTIONS', java),
    // An empty first part stands for the folder that PHP was built with.
    PHP_INI_SCAN_DIR: `${environment.PHP_INI_SCAN_DIR ?? ''}${path.delimiter}${php}`,
  }
  return { trust, variables }
}

/** The SHA-256 of the public key in a certificate, as Chromium's list of accepted keys has it. */
const certificateKeyDigest = (certificate: string): string =>
  createHash('sha256')
    .update(new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')

const each = (names: readonly string[], value: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, value]))

/** Hosts that programs reach without a proxy: the user's, less those that would keep the platform's names from it, and this machine. */
function withoutProxy(environment: NodeJS.ProcessEnv): string {
  const given = (environment.no_proxy || environment.NO_PROXY || '')
    .split(/[\s,]+/)
    .map(withoutBrackets)
    .filter((entry) => {
      const name = entry.replace(/^\*?\./, '').replace(/:\d+$/, '')
      return entry !== '' && name !== '*' && !isPlatformName(name) && !isPlatformName(`api.${name}`)
    })
  return [...new Set([...given, 'localhost', '127.0.0.1', '::1'])].join()
}

// `[::1]` in brackets makes a widely used client refuse every address.
const withoutBrackets = (entry: string): string => entry.replace(/^\[([\da-f:.]+)\]$/i, '$1')

function filled(asset: string, values: Record<string, string>): string {
  const text = readFileSync(path.join(PROGRAM_FOLDER, 'front', 'preloads', asset), 'utf8')
  return text.replace(/@([A-Z_]+)@/g, (mark, name: string) => values[name] ?? mark)
}

/** The file of WGETRC stands for ~/.wgetrc, so it has the same lines. */
function ownWgetSettings(environment: NodeJS.ProcessEnv): string {
  const file = environment.WGETRC || (environment.HOME && path.join(environment.HOME, '.wgetrc'))
  try {
    return file ? readFileSync(file, 'utf8').replace(/^\s*ca_certificate\s*=.*$/gim, '') : ''
  } catch {
    return ''
  }
}

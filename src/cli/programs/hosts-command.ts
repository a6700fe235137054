import path from 'node:path'
import { openAuthority } from '../../front/authority.ts'
import { trustFilesIn } from '../../front/trust-files.ts'
import { PLATFORM_NAMES } from '../../legacy-words.ts'
import { runningInstance } from '../../start/instance-lock.ts'
import type { CliCommand } from '../command-line.ts'
import { noServer } from '../where.ts'

const NAMES_PER_LINE = 4
const HTTPS = 443

export const hostsCommand: CliCommand = {
  name: 'hosts',
  summary:
    'Prints lines for /etc/hosts that lead the platform’s names to the running server, and how programs trust it.',
  flags: {
    address: { value: '<address>', help: 'where the server is; default 127.0.0.1' },
    compose: { help: 'print a file for `docker compose` instead, which gives a service named rostra these names' },
  },
  run: async ({ flags, json, settings, print }) => {
    if (flags.compose) return print({ aliases: PLATFORM_NAMES }, composeFile)
    const { dataDir } = settings
    const instance = await runningInstance(dataDir)
    if (!instance?.listen_url) throw await noServer(settings)
    const address = typeof flags.address === 'string' ? flags.address : '127.0.0.1'
    const { certificateFile } = openAuthority(dataDir)
    const { bundle, javaStore } = trustFilesIn(path.join(dataDir, 'trust'))
    const names_port = instance.names_port
    const result = { address, names: PLATFORM_NAMES, names_port, authority: certificateFile }
    if (!json && names_port !== HTTPS) console.error(portAdvice(names_port))
    print(result, () =>
      [
        ...hostLines(address),
        '',
        '# Trust the authority, which can sign for these names only. For one program, by variables:',
        '#   eval "$(rostra env --shell)"',
        `# For programs that read a file: ${names_port === undefined ? certificateFile : bundle}`,
        ...(names_port === undefined ? [] : [`# For Java: ${javaStore}`]),
        '# For the whole machine (Debian, Ubuntu):',
        `#   sudo cp ${certificateFile} /usr/local/share/ca-certificates/rostra.crt && sudo update-ca-certificates`,
        '# For Chromium:',
        `#   certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n rostra -i ${certificateFile}`,
      ].join('\n'),
    )
  },
}

function portAdvice(port: number | undefined): string {
  const start = `Start it with \`rostra start --names-port ${HTTPS}\``
  return port === undefined
    ? `The server does not serve these names. ${start}; an ordinary user may have to be allowed to use that port.`
    : `The server serves these names on port ${port}, but programs use ${HTTPS}. ${start}, or forward the port.`
}

/** Network aliases for containers. */
const composeFile = (): string =>
  [
    'services:',
    '  rostra:',
    '    networks:',
    '      default:',
    '        aliases:',
    ...PLATFORM_NAMES.map((name) => `          - ${name}`),
  ].join('\n')

function hostLines(address: string): string[] {
  const lines: string[] = []
  for (let at = 0; at < PLATFORM_NAMES.length; at += NAMES_PER_LINE)
    lines.push(`${address} ${PLATFORM_NAMES.slice(at, at + NAMES_PER_LINE).join(' ')}`)
  return lines
}

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { signedHeader } from '../../identity/oauth1/signed-header.ts'
import type { Credentials } from '../../process/credentials.ts'
import { type CliCommand, UsageError } from '../command-line.ts'
import { requireData } from '../where.ts'

/** Signs a request for programs that cannot, such as curl. */
export const signCommand: CliCommand = {
  name: 'sign',
  summary: 'Prints the OAuth 1.0a header of a request, for curl -H.',
  positionals: '<method> <address>',
  flags: {
    user: { value: '<username>', help: 'a user of credentials.json; default the first' },
    form: { value: '<name=value>', help: 'a pair of a form body, which is signed too', multiple: true },
  },
  run: async (call) => {
    const [method, address, ...others] = call.positionals
    if (!method || !address || others.length > 0 || !URL.canParse(address))
      throw new UsageError('Name the method and the address: `rostra sign GET http://localhost:8080/2/users/me`.')
    const file = path.join(call.settings.dataDir, 'credentials.json')
    if (!existsSync(file)) await requireData(call.settings)
    const credentials = readCredentialsFile(file)
    const name = call.flags.user ?? credentials.users[0]!.username
    const user = credentials.users.find((item) => item.username === name)
    if (!user?.access_token || !user.access_token_secret) {
      const known = credentials.users.filter((item) => item.access_token).map((item) => item.username)
      throw new UsageError(`credentials.json has no token for ${String(name)}, only for ${known.join(', ')}.`)
    }
    const forms = ((call.flags.form ?? []) as string[]).map((pair): [string, string] => {
      const cut = pair.indexOf('=')
      return cut < 0 ? [pair, ''] : [pair.slice(0, cut), pair.slice(cut + 1)]
    })
    const app = credentials.apps[0]!
    const header = signedHeader(method, address, forms, {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: user.access_token,
      tokenSecret: user.access_token_secret,
    })
    call.print({ authorization: header }, () => `Authorization: ${header}`)
  },
}

function readCredentialsFile(file: string): Credentials {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Credentials
  } catch {
    throw new UsageError(`${file} cannot be read. Start the server once, or name the data folder with --data-dir.`)
  }
}

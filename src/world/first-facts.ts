import type { Caller } from '../api-kit/declaring/caller.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import type { AppSecrets } from '../identity/developers/create-app.ts'
import type { TokenPair } from '../identity/oauth1/tokens.ts'
import { OAUTH2_RANDOM_LENGTH, oauth2TokenOf } from '../identity/oauth2/token-text.ts'
import { idAt } from '../process/ids.ts'
import type { Db } from '../storage/database.ts'
import { readFact } from '../storage/instance-facts.ts'
import type { FirstAdsIds } from './first-ads.ts'

// The first apps and users have fixed ids and secrets derived from the secret key, so the same credentials work after a reset.
const FIRST_MOMENT = Date.UTC(2026, 0, 1)
export const firstUserId = (index: number): string => idAt(FIRST_MOMENT + index)
export const firstAppId = (index: number): string => idAt(FIRST_MOMENT + 1_000 + index)
export const FIRST_COMMUNITY_ID = idAt(FIRST_MOMENT + 2_000)
export const firstGrantId = (index: number): string => idAt(FIRST_MOMENT + 4_000 + index)
export const FIRST_ADS: FirstAdsIds = {
  account: idAt(FIRST_MOMENT + 3_000),
  fundingInstrument: idAt(FIRST_MOMENT + 3_001),
}

/** The callback URLs of both first apps. */
export const FIRST_CALLBACKS = ['http://127.0.0.1:3000/callback', 'http://localhost:3000/callback']

export const FIRST_APPS = [
  { name: 'First app', tier: 'enterprise' as const },
  { name: 'Second app', tier: 'self-serve' as const },
]

/** Letters and digits derived from the secret key and a name. */
function derived(runtime: Pick<Runtime, 'secretBox'>, name: string, length: number): string {
  let text = ''
  for (let round = 0; text.length < length; round++)
    text += runtime.secretBox.sign(`first world ${name} ${round}`).replace(/[-_]/g, '')
  return text.slice(0, length)
}

export function firstAppSecrets(runtime: Pick<Runtime, 'secretBox'>, index: number): AppSecrets {
  const about = (name: string, length: number) => derived(runtime, `app ${index} ${name}`, length)
  return {
    api_key: about('api key', 25),
    api_key_secret: about('api key secret', 50),
    client_id: Buffer.from(`${about('client id', 20)}:1:ci`)
      .toString('base64')
      .replace(/=+$/, ''),
    client_secret: about('client secret', 50),
    bearer_token: `${'A'.repeat(21)}${about('bearer a', 24)}%2F${about('bearer b', 20)}%3D${about('bearer c', 50)}`,
  }
}

export const firstPassword = (runtime: Pick<Runtime, 'secretBox'>, index: number): string =>
  derived(runtime, `user ${index} password`, 16)
export const firstTokenPair = (runtime: Pick<Runtime, 'secretBox'>, index: number): TokenPair => ({
  token: `${firstUserId(index)}-${derived(runtime, `user ${index} token`, 30)}`,
  secret: derived(runtime, `user ${index} token secret`, 45),
})

/** The tokens are stored hashed. They have the form of all OAuth 2.0 tokens, with the first moment as their time. */
export function firstOauth2Pair(
  runtime: Pick<Runtime, 'secretBox'>,
  index: number,
): { access: string; refresh: string } {
  const token = (kind: 'at' | 'rt') =>
    oauth2TokenOf(derived(runtime, `user ${index} oauth2 ${kind}`, OAUTH2_RANDOM_LENGTH), FIRST_MOMENT + index, kind)
  return { access: token('at'), refresh: token('rt') }
}

/** A caller with all permissions: a user of the first app. */
export const firstAppCaller = (user: { id: string; username: string }): Caller => ({
  kind: 'oauth1',
  app: {
    id: firstAppId(0),
    name: FIRST_APPS[0]!.name,
    clientId: '',
    tier: FIRST_APPS[0]!.tier,
    projectId: '',
    accountId: '',
    ownerUserId: firstUserId(0),
    naming: 'auto',
  },
  user,
  scopes: new Set(),
  level: 'read-write-messages',
})

/** True when a first world of either kind was made. */
export const hasFirstWorld = async (db: Db): Promise<boolean> => (await readFact(db, 'first_world')) !== undefined

import { TwitterApi } from 'twitter-api-v2'
import type { LegacyHost } from '../support/legacy-host.ts'
import type { TestServer } from '../support/server.ts'

/** The library as a user of the first world, at its own host name. */
export function twitterClientOf(server: TestServer, host: LegacyHost, username: string): TwitterApi {
  const keys = server.keysOf(username)
  return new TwitterApi(
    {
      appKey: keys.consumerKey,
      appSecret: keys.consumerSecret,
      accessToken: keys.token!,
      accessSecret: keys.tokenSecret!,
    },
    { httpAgent: host.agent },
  )
}

import type { RunningServer } from './supervisor.ts'

/** What the terminal shows when the server is ready. */
export function readyPanel({ credentials, credentialsFile, settings, isNew }: RunningServer): string {
  const app = credentials.apps[0]
  const user = credentials.users[0]
  const withPassword = credentials.users.find((item) => item.password !== undefined)
  const lines: [string, string | undefined][] = [
    ['Console', credentials.console_url],
    ['Interface', `${credentials.base_url}/2`],
    ['Advertising', `${credentials.ads_url}/12`],
    ['OpenAPI', `${credentials.base_url}/2/openapi.json and ${credentials.ads_url}/openapi.json`],
    ['Data', settings.databaseUrl === '' ? settings.dataDir : 'the PostgreSQL server of DATABASE_URL'],
    ['Credentials', credentialsFile],
    ['API key', app?.api_key],
    ['API key secret', app?.api_key_secret],
    ['Client id', app?.client_id],
    ['Sign in as', withPassword && `${withPassword.username} / ${withPassword.password}`],
  ]
  const shown = lines.filter(([, value]) => value !== undefined).map(([name, value]) => `  ${name.padEnd(15)} ${value}`)
  return [
    '',
    `  Rostra is ready${isNew ? ', with a new first world' : ''}.`,
    '',
    ...shown,
    '',
    '  Try it:',
    `  curl -H 'Authorization: Bearer ${app?.bearer_token}' '${credentials.base_url}/2/users/by/username/${user?.username}?user.fields=public_metrics&expansions=pinned_post_id'`,
    '',
    '  Ctrl-C stops it.',
    '',
  ].join('\n')
}

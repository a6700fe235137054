import { type Call, type CliCommand, needed, numberFlag, only, UsageError, yesNo } from './command-line.ts'
import { runCommand } from './reach-runtime.ts'
import { pairs, table } from './words.ts'

export const userCommands: CliCommand[] = [
  {
    name: 'user create',
    summary: 'Creates a user and prints the password.',
    flags: {
      username: { value: '<name>', help: 'letters, digits and _, 15 at most' },
      name: { value: '<text>', help: 'display name' },
      password: { value: '<text>', help: 'password; generated when absent' },
      email: { value: '<address>', help: 'confirmed address' },
      protected: { help: 'a protected account' },
      verified: { value: '<type>', help: 'none, blue, business or government' },
      subscription: { value: '<type>', help: 'None, Basic, Premium or PremiumPlus' },
    },
    run: async (call) => {
      const made = await runCommand(call.settings, 'user.create', {
        username: needed(call, 'username'),
        name: call.flags.name,
        password: call.flags.password,
        email: call.flags.email,
        protected: call.flags.protected,
        verified_type: call.flags.verified,
        subscription_type: call.flags.subscription,
      })
      call.print(made, () => pairs(made))
    },
  },
  {
    name: 'user list',
    summary: 'Lists users in the order of their creation.',
    flags: {
      query: { value: '<text>', help: 'only users whose username, name or bio has a word that begins so' },
      state: { value: '<state>', help: 'only users who are suspended or protected' },
      after: { value: '<next>', help: 'start after this user, or where the page before ended' },
      limit: { value: '<number>', help: 'how many; default 100' },
    },
    run: async (call) => {
      const { query, state, after } = call.flags
      const result = await runCommand(call.settings, 'user.list', {
        query,
        state,
        after,
        limit: numberFlag(call, 'limit'),
      })
      call.print(result, () =>
        table(result.users as Record<string, unknown>[], [
          'id',
          'username',
          'name',
          'protected',
          'suspended',
          'subscription_type',
          'post_count',
        ]),
      )
    },
  },
  {
    name: 'user show',
    summary: 'Shows a user, and the apps with access to the account.',
    positionals: '<username>',
    flags: {},
    run: async (call) => {
      const result = await runCommand(call.settings, 'user.show', { user: only(call.positionals, 'username') })
      const apps = result.apps as Record<string, unknown>[]
      call.print(result, () =>
        [
          pairs(result.user as Record<string, unknown>),
          ...(apps.length === 0 ? [] : ['', table(apps, ['app_id', 'app', 'kind', 'since'])]),
        ].join('\n'),
      )
    },
  },
  {
    name: 'user token',
    summary:
      'Prints an access token of a user for an app: OAuth 1.0a (the existing one, or a new one) or OAuth 2.0 (new).',
    positionals: '<username>',
    flags: {
      app: { value: '<name or id>', help: 'the app the token is for; default: the oldest' },
      level: { value: '<level>', help: 'read, read-write or read-write-messages; default: the level of the app' },
      oauth2: { help: 'a new OAuth 2.0 access token, with a refresh token where the scopes have offline.access' },
      scopes: { value: '<scopes>', help: 'OAuth 2.0 scopes, separated by spaces or commas; default: all' },
    },
    run: async (call) => {
      const { app, level, oauth2, scopes } = call.flags
      const result = await runCommand(call.settings, 'user.token', {
        user: only(call.positionals, 'username'),
        app,
        access_level: level,
        oauth2: oauth2 ?? (scopes === undefined ? undefined : true),
        scopes: typeof scopes === 'string' ? scopes.split(/[\s,]+/).filter((scope) => scope !== '') : undefined,
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'user pin',
    summary: 'Pins a post of a user to the profile, or without a post unpins.',
    positionals: '<username>',
    flags: { post: { value: '<post id>', help: 'one of their posts' } },
    run: async (call) => {
      const result = await runCommand(call.settings, 'user.pin', {
        user: only(call.positionals, 'username'),
        post: call.flags.post,
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'user revoke',
    summary: 'Revokes the access a user granted to an app. All its tokens for the user stop working at once.',
    positionals: '<username>',
    flags: { app: { value: '<name or id>', help: 'the app that loses its access' } },
    run: async (call) => {
      const result = await runCommand(call.settings, 'user.revoke', {
        user: only(call.positionals, 'username'),
        app: needed(call, 'app'),
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'user update',
    summary: 'Changes a user.',
    positionals: '<username>',
    flags: {
      username: { value: '<name>', help: 'new username' },
      name: { value: '<text>', help: 'display name' },
      description: { value: '<text>', help: 'bio' },
      location: { value: '<text>', help: 'where they are' },
      url: { value: '<url>', help: 'their web address' },
      picture: { value: '<url>', help: 'profile picture; empty for none' },
      banner: { value: '<url>', help: 'banner picture; empty for none' },
      affiliation: { value: '<username>', help: 'the organisation they belong to; empty for none' },
      'affiliation-badge': { value: '<url>', help: 'picture of its badge; needs the affiliation' },
      email: { value: '<address>', help: 'confirmed address; empty for none' },
      password: { value: '<text>', help: 'new password' },
      protected: { value: 'yes|no', help: 'protect the account' },
      suspended: { value: 'yes|no', help: 'suspend the account' },
      'open-messages': { value: 'yes|no', help: 'take messages from everybody, not only from users whom they follow' },
      verified: { value: '<type>', help: 'none, blue, business or government' },
      subscription: { value: '<type>', help: 'None, Basic, Premium or PremiumPlus' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'user.update', {
        user: only(call.positionals, 'username'),
        username: call.flags.username,
        name: call.flags.name,
        description: call.flags.description,
        location: call.flags.location,
        url: call.flags.url,
        profile_image_url: call.flags.picture,
        profile_banner_url: call.flags.banner,
        affiliation: affiliationOf(call),
        email: call.flags.email,
        password: call.flags.password,
        protected: yesNo(call.flags.protected, 'protected'),
        suspended: yesNo(call.flags.suspended, 'suspended'),
        receives_messages_from_everyone: yesNo(call.flags['open-messages'], 'open-messages'),
        verified_type: call.flags.verified,
        subscription_type: call.flags.subscription,
      })
      call.print(result, () => pairs(result))
    },
  },
]

function affiliationOf(call: Call): { user_id: string[]; badge_url?: string } | null | undefined {
  const { affiliation, 'affiliation-badge': badge } = call.flags
  if (badge !== undefined && !affiliation) throw new UsageError('--affiliation-badge needs --affiliation.')
  if (affiliation === undefined) return undefined
  if (affiliation === '') return null
  return { user_id: [String(affiliation)], ...(badge === undefined ? {} : { badge_url: String(badge) }) }
}

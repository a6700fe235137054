import { type CliCommand, needed, numberFlag, only, yesNo } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs, table } from '../words.ts'
import { adsStatisticsCommand } from './ads-statistics-command.ts'

const ACCOUNT = '<account id>'

/** Splits a list that is separated by commas. */
const listOf = (value: unknown): string[] | undefined =>
  typeof value === 'string' ? value.split(',').map((item) => item.trim()) : undefined

const features = { value: '<keys>', help: 'feature keys, separated by commas' }

interface TreeNode {
  id: string
  kind?: string
  name?: string | null
  effective_status?: string
  entity_status: string
  reasons_not_servable?: string[]
  line_items?: TreeNode[]
  creatives?: TreeNode[]
}

/** A line for a campaign, line item or creative, and indented lines for what is below it. */
function branch(node: TreeNode, depth = 0): string[] {
  const reasons = node.reasons_not_servable ?? []
  const why = reasons.length === 0 ? '' : `  (${reasons.join(', ')})`
  const line = `${'  '.repeat(depth)}${node.id}  ${node.kind ?? node.name ?? ''}  ${node.effective_status ?? node.entity_status}${why}`
  return [line, ...[...(node.line_items ?? []), ...(node.creatives ?? [])].flatMap((item) => branch(item, depth + 1))]
}

/** What operators do for the advertising interface. */
export const adsCliCommands: CliCommand[] = [
  {
    name: 'ads account create',
    summary: 'Creates an advertising account and prints its id.',
    flags: {
      owner: { value: '<username>', help: 'user who administers it and whose posts it promotes' },
      name: { value: '<text>', help: 'name of the account' },
      sandbox: { help: 'an account of the sandbox' },
      timezone: { value: '<zone>', help: 'IANA time zone; default America/Los_Angeles' },
      business: { value: '<id>', help: 'business that it belongs to' },
      'business-name': { value: '<text>', help: 'name of the business' },
      features,
    },
    run: async (call) => {
      const made = await runCommand(call.settings, 'ads.account.create', {
        owner: needed(call, 'owner'),
        name: call.flags.name,
        sandbox: call.flags.sandbox,
        timezone: call.flags.timezone,
        business: call.flags.business,
        business_name: call.flags['business-name'],
        features: listOf(call.flags.features),
      })
      call.print(made, () => pairs(made))
    },
  },
  {
    name: 'ads account list',
    summary: 'Lists the advertising accounts with their users.',
    flags: {},
    run: async (call) => {
      const accounts = (await runCommand(call.settings, 'ads.account.list', {})) as unknown as {
        users: Record<string, string[]> | null
        features: string[]
      }[]
      const rows = accounts.map((account) => ({
        ...account,
        users: Object.entries(account.users ?? {})
          .map(([username, permissions]) => `${username}:${permissions.join('+')}`)
          .join(' '),
        features: account.features.join(' '),
      }))
      const columns = ['id', 'name', 'sandbox', 'timezone', 'deleted', 'users', 'features']
      call.print({ accounts }, () => table(rows, columns))
    },
  },
  {
    name: 'ads account show',
    summary: 'Shows the audiences of an account with their sizes, and the catalogs of its users.',
    positionals: ACCOUNT,
    flags: {},
    run: async (call) => {
      const account = only(call.positionals, 'account id')
      const answer = await runCommand(call.settings, 'ads.account.show', { account })
      const { audiences, catalogs } = answer as unknown as Record<string, Record<string, unknown>[]>
      const parts = [
        table(audiences!, ['id', 'name', 'audience_type', 'audience_size', 'targetable']),
        table(catalogs!, ['id', 'name', 'username', 'products', 'sets']),
      ]
      call.print(answer, () => parts.join('\n\n'))
    },
  },
  {
    name: 'ads tree',
    summary: 'Shows the campaigns of an account with what is below them, and why something does not serve.',
    positionals: ACCOUNT,
    flags: {
      name: { value: '<text>', help: 'only campaigns whose name contains this' },
      after: { value: '<campaign id>', help: 'where the list goes on' },
    },
    run: async (call) => {
      const account = only(call.positionals, 'account id')
      const { name: q, after } = call.flags
      const answer = await runCommand(call.settings, 'ads.tree', { account, q, after })
      const { campaigns, next } = answer as unknown as { campaigns: TreeNode[]; next: string | null }
      const more = next === null ? [] : ['', `More: --after ${next}`]
      call.print(answer, () => [...campaigns.flatMap((campaign) => branch(campaign)), ...more].join('\n'))
    },
  },
  {
    name: 'ads line-item show',
    summary: 'Shows a line item with its targeting.',
    positionals: '<line item id>',
    flags: { account: { value: ACCOUNT, help: 'the account of the line item' } },
    run: async (call) => {
      const args = { account: needed(call, 'account'), line_item: only(call.positionals, 'line item id') }
      const answer = await runCommand(call.settings, 'ads.line_item.show', args)
      const { targeting, ...item } = answer as unknown as { targeting: Record<string, unknown>[] }
      const columns = ['id', 'targeting_type', 'operator_type', 'name']
      call.print(answer, () => `${pairs(item)}\n\n${table(targeting, columns)}`)
    },
  },
  adsStatisticsCommand,
  {
    name: 'ads grant',
    summary: 'Lets a user act on an advertising account. Earlier permissions of the user are replaced.',
    positionals: ACCOUNT,
    flags: {
      user: { value: '<username>', help: 'who' },
      permissions: {
        value: '<words>',
        help:
          'ACCOUNT_ADMIN, AD_MANAGER, CREATIVE_MANAGER, CAMPAIGN_ANALYST, ANALYST, PARTNER_AUDIENCE_MANAGER, ' +
          'separated by commas; POST_COMPOSER beside one of the first three',
      },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'ads.account.grant', {
        account: only(call.positionals, 'account id'),
        user: needed(call, 'user'),
        permissions: listOf(needed(call, 'permissions')),
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'ads feature',
    summary:
      'Changes the features of an advertising account, how many campaigns it may have and whose posts it promotes.',
    positionals: ACCOUNT,
    flags: {
      add: features,
      remove: features,
      'campaign-cap': { value: '<number>', help: 'how many campaigns may be active; 1 to 8000' },
      'promotable-user': { value: '<username>', help: 'a user whose posts it may promote by reposts' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'ads.account.set', {
        account: only(call.positionals, 'account id'),
        add_features: listOf(call.flags.add),
        remove_features: listOf(call.flags.remove),
        campaign_cap: numberFlag(call, 'campaign-cap'),
        promotable_user: call.flags['promotable-user'],
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'ads fund',
    summary: 'Adds a funding instrument to an advertising account.',
    positionals: ACCOUNT,
    flags: {
      type: {
        value: '<type>',
        help: 'CREDIT_LINE (default), CREDIT_CARD, AGENCY_CREDIT_LINE, INSERTION_ORDER or PARTNER_MANAGED',
      },
      currency: { value: '<code>', help: 'ISO 4217; default USD' },
      amount: { value: '<micros>', help: 'in millionths of the currency unit' },
      shares: {
        value: '<funding id>',
        help: 'use the credit line of another account instead; spend of both lowers what remains',
      },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'ads.funding.create', {
        shares: call.flags.shares,
        account: only(call.positionals, 'account id'),
        type: call.flags.type,
        currency: call.flags.currency,
        amount_local_micro: numberFlag(call, 'amount'),
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'ads enrol',
    summary: 'Gives an app access to the advertising interface, or removes it.',
    positionals: '<app id>',
    flags: {
      level: { value: '<level>', help: 'standard (default), conversion-only or none' },
      allowlists: { value: '<words>', help: 'restricted features that it may use, separated by commas' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'ads.enrol', {
        app: only(call.positionals, 'app id'),
        level: call.flags.level,
        allowlists: listOf(call.flags.allowlists),
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'ads partner-key create',
    summary: 'Makes a secret that the app of a partner shares with this server, for partner onboarding.',
    positionals: '<app>',
    flags: {},
    run: async (call) => {
      const result = await runCommand(call.settings, 'ads.partner_key.create', { app: only(call.positionals, 'app') })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'ads partner-key list',
    summary: 'Lists the secrets of a partner, all of which are valid.',
    positionals: '<app>',
    flags: {},
    run: async (call) => {
      const result = await runCommand(call.settings, 'ads.partner_key.list', { app: only(call.positionals, 'app') })
      const keys = result.keys as { id: string; created_at: string }[]
      call.print(result, () => table(keys, ['id', 'created_at']))
    },
  },
  {
    name: 'ads partner-key delete',
    summary: 'Ends a secret of a partner.',
    positionals: '<app>',
    flags: { id: { value: '<id>', help: 'the secret' } },
    run: async (call) => {
      const result = await runCommand(call.settings, 'ads.partner_key.delete', {
        app: only(call.positionals, 'app'),
        id: needed(call, 'id'),
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'ads publisher',
    summary: 'Makes a user a publisher, before whose videos ads run, or ends that.',
    positionals: '<username>',
    flags: {
      countries: { value: '<codes>', help: 'countries where they earn, separated by commas; default US' },
      promotable: { value: '<codes>', help: 'countries where their videos may be promoted; default the same' },
      categories: { value: '<ids>', help: 'ids of content categories, separated by commas' },
      restricted: { value: 'yes|no', help: 'listed, but no ads run before their videos' },
      remove: { help: 'the user is no longer a publisher' },
    },
    run: async (call) => {
      const result = await runCommand(call.settings, 'ads.publisher.set', {
        user: only(call.positionals, 'username'),
        countries: listOf(call.flags.countries),
        promotable_countries: listOf(call.flags.promotable),
        content_categories: listOf(call.flags.categories),
        restricted: yesNo(call.flags.restricted, 'restricted'),
        remove: call.flags.remove,
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'ads merchant',
    summary: 'Sets whether a user has accepted the terms of product catalogs.',
    positionals: '<username>',
    flags: { terms: { value: 'accepted|withdrawn', help: 'default accepted' } },
    run: async (call) => {
      const result = await runCommand(call.settings, 'ads.merchant.set', {
        user: only(call.positionals, 'username'),
        shopping_terms: call.flags.terms ?? 'accepted',
      })
      call.print(result, () => pairs(result))
    },
  },
  {
    name: 'ads feed runs',
    summary: 'Lists the last fetches of a product feed with their results.',
    positionals: '<feed id>',
    flags: {},
    run: async (call) => {
      const feed = only(call.positionals, 'feed id')
      const runs = (await runCommand(call.settings, 'ads.feed.runs', { feed })) as unknown as Record<string, unknown>[]
      const columns = [
        'id',
        'started_at',
        'finished_at',
        'outcome',
        'created',
        'updated',
        'unchanged',
        'failed',
        'problem',
      ]
      call.print({ runs }, () => table(runs, columns))
    },
  },
  {
    name: 'ads work',
    summary: 'Does now what is due in advertising: scheduled posts, audiences, feeds, product sets.',
    flags: {},
    run: async (call) => {
      const result = await runCommand(call.settings, 'ads.work', {})
      call.print(result, () => JSON.stringify(result))
    },
  },
]

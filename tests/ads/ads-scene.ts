import { checkingAnswers } from '../support/check-answer.ts'
import {
  type As,
  startTestServer,
  type TestAnswer,
  type TestServer,
  type TestServerOptions,
} from '../support/server.ts'

type Values = Record<string, string | number | boolean | undefined>

/** A server with an account of alice, in the sandbox unless asked for otherwise, and functions that send requests to it. */
export interface AdsScene {
  server: TestServer
  /** The account, in base 36. */
  account: string
  /** A funding instrument of it: a credit line in US dollars. */
  funding: string
  /** Requests below the account, by alice unless `as` names another user; values are sent in the query. */
  get(path: string, values?: Values, as?: As): Promise<TestAnswer>
  post(path: string, values?: Values, as?: As): Promise<TestAnswer>
  put(path: string, values?: Values, as?: As): Promise<TestAnswer>
  delete(path: string, values?: Values, as?: As): Promise<TestAnswer>
  /** A JSON body to a path below the account. */
  json(method: string, path: string, body: unknown, as?: As): Promise<TestAnswer>
  /** The same for a path below `/12`, such as `batch/accounts/...`. */
  call(method: string, path: string, values?: Values, as?: As): Promise<TestAnswer>
  /** Creates a record and returns its `data`; fails unless it was created. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at members of answers whose shape they assert.
  made(path: string, values: Values): Promise<any>
  /** A campaign, and line items in it. */
  campaign(values?: Values): Promise<string>
  lineItem(values?: Values): Promise<string>
  close(): Promise<void>
}

export const ALICE: As = { user: 'alice' }

/** The query text of values; undefined values are omitted. */
export const queryOf = (values: Values): string => {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined)
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
}

type Environment = 'sandbox' | 'production'

/** Starts a server with an account and a funding instrument. */
export async function startAdsScene(
  flags: string[] = [],
  { environment, ...options }: TestServerOptions & { environment?: Environment } = {},
): Promise<AdsScene> {
  return createAdsScene(await startTestServer(flags, options), environment)
}

/** Makes an account with money on a running server. */
export async function createAdsScene(given: TestServer, environment: Environment = 'sandbox'): Promise<AdsScene> {
  const server = checkingAnswers(given)
  const base = environment === 'sandbox' ? '/ads-sandbox/12' : '/ads/12'
  const call = (method: string, path: string, values: Values = {}, as: As = ALICE) => {
    const query = queryOf(values)
    return server.request(method, `${base}/${path}${query === '' ? '' : `?${query}`}`, { as })
  }
  const account: string =
    environment === 'sandbox'
      ? (await call('POST', 'accounts')).body.data[0].id
      : (await server.command('ads.account.create', { owner: 'alice' })).id
  const below = (path: string) => `accounts/${account}/${path}`
  const scene: AdsScene = {
    server,
    account,
    funding: '',
    call,
    get: (path, values, as) => call('GET', below(path), values, as),
    post: (path, values, as) => call('POST', below(path), values, as),
    put: (path, values, as) => call('PUT', below(path), values, as),
    delete: (path, values, as) => call('DELETE', below(path), values, as),
    json: (method, path, body, as = ALICE) => server.request(method, `${base}/${below(path)}`, { as, json: body }),
    made: async (path, values) => {
      const answer = await call('POST', below(path), values)
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
      return answer.body.data
    },
    campaign: async (values) => {
      const initial = {
        funding_instrument_id: scene.funding,
        name: 'Spring',
        daily_budget_amount_local_micro: 5_000_000,
      }
      return (await scene.made('campaigns', { ...initial, ...values })).id
    },
    lineItem: async (values) => {
      const initial = {
        objective: 'ENGAGEMENTS',
        product_type: 'PROMOTED_POSTS',
        placements: 'ALL_ON_TWITTER',
        start_time: '2026-01-01T00:00:00Z',
        end_time: '2030-01-01T00:00:00Z',
      }
      const campaignId = values?.campaign_id ?? (await scene.campaign())
      return (await scene.made('line_items', { ...initial, ...values, campaign_id: campaignId })).id
    },
    close: () => server.close(),
  }
  const funding = {
    type: 'CREDIT_LINE',
    currency: 'USD',
    start_time: '2026-01-01',
    credit_limit_local_micro: 1_000_000_000,
  }
  scene.funding =
    environment === 'sandbox'
      ? (await scene.made('funding_instruments', funding)).id
      : (await server.command('ads.funding.create', { account, amount_local_micro: 1_000_000_000 })).id
  return scene
}

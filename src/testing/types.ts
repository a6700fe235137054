/// <reference lib="esnext.disposable" preserve="true" />
// What users of the kit see. These declarations are published: they import nothing of the server and of no other package.

/** A number of milliseconds, or a number with a unit: `500ms`, `90s`, `15m`, `2h`, `1d`, `1w`. */
export type Duration = number | string

/** What credentials.json has. Its names are those of the file, so that other programs can read either. */
export interface Credentials {
  base_url: string
  ads_url: string
  ads_sandbox_url: string
  ads_account_id: string
  admin_key: string
  /** Opens the console, once. Absent where there is no console. */
  console_url?: string | undefined
  apps: {
    id: string
    name: string
    tier: string
    api_key: string
    api_key_secret: string
    bearer_token?: string | undefined
    client_id: string
    client_secret?: string | undefined
    callback_urls: string[]
    owner: string
  }[]
  users: {
    id: string
    username: string
    password?: string | undefined
    access_token?: string | undefined
    access_token_secret?: string | undefined
    oauth2_access_token?: string | undefined
    oauth2_refresh_token?: string | undefined
  }[]
}

/** An app and its keys. */
export interface RostraApp {
  id: string
  name: string
  tier: string
  apiKey: string
  apiKeySecret: string
  /** The app-only token. */
  bearerToken: string
  clientId: string
  clientSecret: string
  callbackUrls: string[]
}

/** An OAuth 1.0a access token. */
export interface TokenPair {
  accessToken: string
  accessTokenSecret: string
}

/** OAuth 2.0 tokens of a user. */
export interface OAuth2Tokens {
  accessToken: string
  /** Without the scope `offline.access` there is none. */
  refreshToken: string | undefined
  scopes: string[]
  /** Seconds. */
  expiresIn: number | undefined
}

/** A user, with what a client needs to act as this user. */
export interface RostraUser {
  id: string
  username: string
  password: string | undefined
  /** The OAuth 1.0a access token for the first app. */
  accessToken: string
  accessTokenSecret: string
  /** The key of the app that the token is for. */
  apiKey: string
  apiKeySecret: string
  /** New OAuth 2.0 tokens; without scopes, those that the app may ask for. */
  oauth2(scopes?: readonly string[], options?: { app?: string }): Promise<OAuth2Tokens>
  /** A new OAuth 1.0a access token, which replaces the one that this user had for the app. */
  oauth1(options?: { app?: string; accessLevel?: 'read' | 'read-write' | 'read-write-messages' }): Promise<TokenPair>
  /** The Authorization header of a request, signed by OAuth 1.0a. `form` are the pairs of a form body. */
  authorization(method: string, address: string, form?: Record<string, string>): string
}

/** What a fault does with the requests that it matches. Name exactly one effect. */
export interface FaultOptions {
  /** `POST /2/posts`, or `* /2/users/*`; the method may be left out. */
  match: string
  /** Only requests of this app (name or id). */
  app?: string
  /** Only requests of this user. */
  user?: string
  /** How many requests fail; without it all. */
  times?: number
  /** The share of requests that fail, from 0 to 1. */
  rate?: number
  /** Answers with this status. */
  status?: number
  /** Answers like a named refusal of the platform: `rate-limited`, `over-capacity`, `suspended` ... */
  named?: string
  /** Answers later. */
  delay?: Duration
  /** Cuts the connection after so many bytes of the answer: 1000, or `1kb`. */
  dropAfter?: number | string
  /** Does not answer for this time. */
  stall?: Duration
  /** Answers with broken JSON. */
  malformed?: boolean
}

/** A fault that was added. */
export interface Fault {
  id: string
  /** Members as the server has them. */
  [member: string]: unknown
}

/** One attempt of a delivery, or the reason why attempts ended. */
export interface DeliveryAttempt {
  at?: string
  ms?: number
  status?: number
  error?: string
  answer?: string
}

/** Something that was sent, or will be sent, to a webhook. */
export interface Delivery {
  id: string
  webhookId: string
  /** Undefined when the webhook was removed. */
  url: string | undefined
  appId: string
  /** What caused it: `activity:post.create`, `account-activity`, `filtered-stream`. */
  kind: string
  /** The type of the event: `post.create`. */
  eventType: string | undefined
  /** The position of the event in the event log. */
  sequence: string | undefined
  state: 'pending' | 'delivered' | 'given_up' | 'withheld'
  attempts: DeliveryAttempt[]
  createdAt: Date
  nextAttemptAt: Date | undefined
  /** The body as text, as it was signed. */
  text: string
  /** The body. Long numbers in it lose digits: `text` has them. */
  body: unknown
}

/** A request that the server answered. */
export interface RecordedRequest {
  /** Grows with the time of the answer. */
  seq: string
  time: Date
  method: string
  /** With its query; secrets are left out. */
  path: string
  operation: string | undefined
  status: number
  latencyMs: number | undefined
  appId: string | undefined
  app: string | undefined
  user: string | undefined
  credential: string | undefined
  naming: string
  /** Why it was refused. */
  reason: string | undefined
  details: Record<string, string> | undefined
  costMicros: number | undefined
  /** The fault that answered it. */
  fault: unknown
}

export interface DeliveryFilter {
  webhookId?: string
  state?: Delivery['state']
  eventType?: string
  /** How many at most, from the newest; 100 without it, at most 1000. */
  limit?: number
}

export interface RequestFilter {
  method?: string
  /** The path without its query; a text has to be equal, a pattern has to match. */
  path?: string | RegExp
  operation?: string
  status?: number
  user?: string
  /** The name of an app. */
  app?: string
  /** Only refused ones. */
  refused?: boolean
}

export interface WaitOptions {
  /** 5 s without it. */
  timeout?: Duration
}

export interface WaitForDeliveryOptions extends WaitOptions {
  /** The state to wait for; `any` also takes one that was not sent yet. `delivered` without it. */
  state?: Delivery['state'] | 'any'
}

export interface TriggerOptions {
  /** Who acts; alice without it. */
  user?: string
  /** On whom; bob without it. */
  target?: string
  text?: string
  postId?: string
}

/** What a trigger did. */
export interface Triggered {
  eventType: string
  /** What was done, in words. */
  done: string
  /** What had to be done before, in words. */
  first: string[]
  userId: string
  /** The position of the event in the event log. */
  sequence: string | undefined
  /** All members as the server has them, such as `post_id`. */
  facts: Record<string, unknown>
}

/** The clock of the server. Signatures and rate limits follow real time. */
export interface RostraClock {
  now(): Promise<Date>
  /** Moves it ahead. What falls due has happened when this resolves. */
  advance(by: Duration): Promise<Date>
  /** Sets it to a time. */
  set(time: Date | string): Promise<Date>
  /** Stops it. */
  freeze(): Promise<Date>
  /** Lets it go on from where it is. */
  resume(): Promise<Date>
  /** Sets it to real time. */
  reset(): Promise<Date>
}

/** Acts on open streams. */
export interface StreamFaultOptions {
  /** The path of the stream; all streams without it. */
  endpoint?: string
  /** Only streams of this app. */
  app?: string
}

export interface RostraStreams {
  /** Cuts the connections. */
  drop(options?: StreamFaultOptions): Promise<number>
  /** Sends nothing more, not even the signs of life. */
  stall(options?: StreamFaultOptions): Promise<number>
  /** Ends a stall. */
  resume(options?: StreamFaultOptions): Promise<number>
  /** Ends the streams with a message of this type. */
  disconnect(type?: string, options?: StreamFaultOptions): Promise<number>
}

/** How many things of each kind a world made, changed, or found as they should be. */
export interface AppliedWorld {
  created: Record<string, number>
  changed: Record<string, number>
  unchanged: Record<string, number>
}

export interface Snapshot {
  name: string
  createdAt: Date
  bytes: number | undefined
}

/** How a population lives. */
export interface LifeOptions {
  /** How many personas; 1000 without it. */
  personas?: number
  /** How much faster than time; 'max' without it. */
  speed?: number | 'max'
  /** The same seed, clock and world give the same life. */
  seed?: number
  /** How long, in time of the world; a day without it. */
  for?: string
  order?: 'time' | 'popularity' | 'interest'
  /** The absolute path of a file that decides what personas do. */
  behaviour?: string
  /** An address that is asked what personas do. */
  agent?: string
  /** A sandbox account, for a dry life. */
  sandbox?: string
}

/** A life that is over. */
export interface Life {
  id: string
  state: 'ended' | 'stopped' | 'failed'
  looks: number
  views: number
  /** How many actions of each kind were done, and refused. */
  actions: Record<string, number>
  refused: Record<string, number>
  ads: { impressions: number; engagements: number }
  [member: string]: unknown
}

/** Control of a server. */
export interface Rostra {
  /** The base address of version 2. */
  readonly url: string
  /** The base address of advertising. */
  readonly adsUrl: string
  readonly adsSandboxUrl: string
  readonly credentials: Credentials
  /** Variables for programs under test: `ROSTRA_URL`, `ROSTRA_BEARER_TOKEN` ... */
  readonly env: Record<string, string>

  /** An app of credentials.json by its name; the first one without a name. */
  app(name?: string): RostraApp
  /** A user of credentials.json, or one that was made by `createUser`. */
  user(username: string): RostraUser
  createUser(options: {
    username: string
    name?: string
    password?: string
    [member: string]: unknown
  }): Promise<RostraUser>
  createApp(options: { name: string; owner?: string; [member: string]: unknown }): Promise<RostraApp>

  /** Makes what a world file describes, given as an object: users, apps, follows, posts. What is there already stays. */
  applyWorld(world: object, options?: { dryRun?: boolean }): Promise<AppliedWorld>

  /** Adds a fault. It ends when its times are used up, and with a reset. */
  fault(options: FaultOptions): Promise<Fault>
  readonly faults: {
    list(): Promise<Fault[]>
    /** Removes one fault, or all. Returns how many. */
    clear(id?: string): Promise<number>
  }
  readonly streams: RostraStreams
  /** Lets the next deliveries fail as if the receiver had. */
  failNextDelivery(options?: {
    webhookId?: string
    times?: number
    status?: number
    kind?: 'timeout' | 'connection'
  }): Promise<void>

  readonly clock: RostraClock
  /** Brings the first world back. Keys, ids and tokens stay the same. */
  reset(): Promise<void>
  snapshot(name: string): Promise<Snapshot>
  restore(name: string): Promise<void>
  readonly snapshots: { list(): Promise<Snapshot[]>; delete(name: string): Promise<void> }

  /** Lets a population live, and resolves when that is over. Rejects when the life fails. */
  live(options?: LifeOptions): Promise<Life>

  /** Makes an event happen by its real action. */
  trigger(eventType: string, options?: TriggerOptions): Promise<Triggered>
  /** What was sent to webhooks, oldest first. */
  deliveries(filter?: DeliveryFilter): Promise<Delivery[]>
  /** The requests since the last reset, oldest first. Those of the control interface are left out. */
  requests(filter?: RequestFilter): Promise<RecordedRequest[]>
  /** The first delivery that matches and that was not returned before. */
  waitForDelivery(
    predicate?: DeliveryFilter | ((delivery: Delivery) => boolean),
    options?: WaitForDeliveryOptions,
  ): Promise<Delivery>
  /** The first request that matches and that was not returned before. */
  waitForRequest(
    predicate?: RequestFilter | ((request: RecordedRequest) => boolean),
    options?: WaitOptions,
  ): Promise<RecordedRequest>

  /** Runs a command of the control interface. */
  command<T = Record<string, unknown>>(name: string, args?: Record<string, unknown>): Promise<T>

  /** Ends the server if this controller started it. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A server that the kit started. */
export interface StartedRostra extends Rostra {
  readonly dataDir: string
  readonly pid: number
  /** What the server wrote to standard error, the last 200 lines. */
  log(): string[]
}

import type { Operation, RequestFacts } from '../api-kit/declaring/operation.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { type CallAnswer, type CallInput, callOperation } from '../api-kit/serving/call-operation.ts'
import { Problem } from '../api-kit/writing/problem.ts'
import { blank } from '../api-kit/writing/problems.ts'
import type { Browser } from '../identity/sign-in/browser.ts'
import type { SignedInUser } from '../identity/sign-in/sessions.ts'
import { isStorableId } from '../process/ids.ts'
import { ownCaller } from './own-app.ts'

/** A request for a page: who looks, at what, and how the page gets its data. */
export interface PageRequest {
  request: RequestFacts
  runtime: Runtime
  browser: Browser
  /** The signed-in user. */
  viewer: SignedInUser | undefined
  path: Record<string, string>
  query: Map<string, string>
  /** The moment at which the page is made, in product time. */
  now: number
  /** The impression of the ad whose card is being made. */
  ad?: string
  /** The posts that the page shows, for the count of views. */
  shownPosts: Set<string>
  /** What the cards of posts show beyond the posts themselves, by the ids of the posts. */
  extras: Map<string, PostExtras>
  /** Runs an operation as the viewer; a refusal is returned. */
  call<T = Record<string, unknown>>(operation: Operation, input?: CallInput): Promise<CallAnswer<T>>
  /** The same for what the page cannot be shown without: a refusal becomes the page. */
  need<T = Record<string, unknown>>(operation: Operation, input?: CallInput): Promise<T>
  /** Runs an operation that only apps may use, so it shows what is public. */
  callPublicly<T = Record<string, unknown>>(operation: Operation, input?: CallInput): Promise<CallAnswer<T>>
}

/** What the card of a post shows besides the post. */
export interface PostExtras {
  /** A note that people of different views found helpful. */
  note: string | undefined
  community: { id: string; name: string } | undefined
  card: PostCard | undefined
  /** The option of its poll that the viewer voted for, counted from 1. */
  vote: number | undefined
}

/** The card that an advertiser made for a post: a title and a place to go to. */
export interface PostCard {
  title: string | undefined
  url: string | undefined
  /** A short link leads there too, which counts clicks. */
  hasShortLink: boolean
  pictureUrl: string | undefined
}

/** The page of a signed-in user. */
export interface SignedInRequest extends PageRequest {
  viewer: SignedInUser
}

export function createPageRequest(facts: {
  request: RequestFacts
  runtime: Runtime
  browser: Browser
  viewer: SignedInUser | undefined
  path: Record<string, string>
  query: Map<string, string>
}): PageRequest {
  const { runtime, viewer } = facts
  // A page loads pictures from the address that it was opened at, so links keep our own address at the platform's hosts too.
  const request: RequestFacts = { ...facts.request, isPlatformHost: false, moveLinks: (text) => text }
  const caller = ownCaller(viewer && { id: viewer.id, username: viewer.username })
  const call: PageRequest['call'] = (operation, input) => callOperation(runtime, request, caller, operation, input)
  return {
    ...facts,
    now: runtime.clock.now(),
    shownPosts: new Set(),
    extras: new Map(),
    call,
    callPublicly: (operation, input) => callOperation(runtime, request, ownCaller(undefined), operation, input),
    need: async <T>(operation: Operation, input?: CallInput) => {
      const answer = await call<T>(operation, input)
      // An address that cannot be one of anything is an address without a page.
      if (answer.status === 400 && operation.method === 'GET') throw blank(404, 'This address has no page.')
      if (answer.status >= 400) throw blank(answer.status, answer.reason)
      return answer.body
    },
  }
}

/** The impression of the ad that is shown or that led to this page: what the viewer does with it is counted. */
export function adOf({ ad, query }: PageRequest): string | undefined {
  const named = ad ?? query.get('ad')
  return named !== undefined && isStorableId(named) ? named : undefined
}

/** The query of an address to which the card of an ad leads; empty elsewhere. */
export const adQuery = ({ ad }: PageRequest, sign: '?' | '&' = '?'): string =>
  ad === undefined ? '' : `${sign}ad=${ad}`

/** What version 2 says about a single object that it does not show. */
interface ObjectError {
  type?: string
  detail?: string
  title?: string
}

/** The object of a lookup; throws the refusal as the page shows it. */
export function shownObject<T>(answer: { data?: T; errors?: ObjectError[] }, what: string): T {
  if (answer.data) return answer.data
  if (answer.errors?.[0]?.title === 'Forbidden')
    throw new Problem(403, { title: 'Forbidden', detail: 'This account is suspended.' })
  const isHidden = answer.errors?.[0]?.type?.endsWith('/not-authorized-for-resource') ?? false
  throw isHidden ? new HiddenFromViewer(what) : blank(404, `This ${what} does not exist.`)
}

/** The object exists, and the viewer may not see it. */
export class HiddenFromViewer extends Problem {
  constructor(what: string) {
    super(403, { title: 'Forbidden', detail: `You may not see this ${what}.` })
  }
}

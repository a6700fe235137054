import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import { formPairs } from '../../api-kit/reading/request-query.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { Answer } from '../../api-kit/writing/answer.ts'
import { digest, randomText, sameText } from '../../process/secret-box.ts'
import { agentWords } from '../accounts/agent-words.ts'
import { formBody } from '../oauth1/verify-request.ts'
import { STYLE_HASH } from '../pages/index.ts'
import { maySignInByClick } from './dev-sign-in.ts'

const VISITOR_COOKIE = 'rostra_visitor'
export const SESSION_COOKIE = 'rostra_session'
const NO_SESSION = '-'

/** A browser on one of our pages: its cookies, and the token that its forms must send back. */
export interface Browser {
  cookies: Map<string, string>
  csrf: string
  /** The token of a form that was shown in the session with a tag. */
  tokenOf: (tag: string) => string
  /** The session token of its cookie, which may be over. */
  session: string | undefined
  /** Cookie to set when the browser has none yet. */
  setCookie: string[]
  secure: boolean
  /** What it is, in words for its owner. */
  agent: string
  /** Whether the request was sent by a page of another site. */
  isElsewhere: boolean
  /** Whether it may sign in with a click on a user. */
  maySignInByClick: boolean
}

export function readBrowser(request: RequestFacts, runtime: Runtime): Browser {
  const cookies = new Map<string, string>()
  for (const part of String(request.headers.cookie ?? '').split(';')) {
    const cut = part.indexOf('=')
    if (cut > 0) cookies.set(part.slice(0, cut).trim(), part.slice(cut + 1).trim())
  }
  const secure = request.url.startsWith('https:')
  const known = cookies.get(cookieName(VISITOR_COOKIE, { secure }))
  const session = cookies.get(cookieName(SESSION_COOKIE, { secure }))
  const visitor = known && /^[A-Za-z0-9]{32}$/.test(known) ? known : randomText(32)
  // Bound to the browser and to the session in which the page is shown.
  const tokenOf = (tag: string) => `${tag}.${runtime.secretBox.sign(`form ${visitor} ${tag}`)}`
  return {
    cookies,
    csrf: tokenOf(session === undefined ? NO_SESSION : digest(session).toString('hex').slice(0, 16)),
    tokenOf,
    session,
    agent: agentWords(request.headers['user-agent']),
    isElsewhere: !isFromHere(request, runtime),
    maySignInByClick: maySignInByClick(request, runtime),
    setCookie: visitor === known ? [] : [cookie(VISITOR_COOKIE, visitor, { secure })],
    secure,
  }
}

// Browsers send both headers, and pages cannot change them. Clients that are not browsers may send neither.
function isFromHere({ headers, url }: RequestFacts, { origin: own }: Runtime): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  if (headers.origin === undefined) return true
  const origin = String(headers.origin)
  if (!URL.canParse(origin)) return false
  const { host, protocol } = new URL(origin)
  // A page on plain HTTP may come from anybody on the way. The reverse is a proxy that ends TLS and does not say so.
  if (url.startsWith('https:') && protocol !== 'https:') return false
  const hosts = [url, own, `${protocol}//${headers.host}`].filter((address) => URL.canParse(address))
  return hosts.some((address) => new URL(address).host === host)
}

/** The prefix makes browsers refuse the cookie from other hosts of the domain, and over plain HTTP. */
export const cookieName = (name: string, { secure }: { secure: boolean }): string => (secure ? `__Host-${name}` : name)

/** A cookie for this server only; scripts cannot read it. */
export function cookie(name: string, value: string, options: { secure: boolean; maxAgeS?: number }): string {
  const life = options.maxAgeS === undefined ? '' : `; Max-Age=${options.maxAgeS}`
  return `${cookieName(name, options)}=${value}; Path=/; HttpOnly; SameSite=Lax${options.secure ? '; Secure' : ''}${life}`
}

/** The fields of a posted form; undefined when the form is not from one of our pages in this browser. */
export function readForm(request: RequestFacts, browser: Browser): Map<string, string> | undefined {
  const fields = new Map<string, string>()
  for (const pair of formPairs(formBody(request))) if (pair && !pair[1].includes('\0')) fields.set(pair[0], pair[1])
  return isOwnForm(fields, browser) ? fields : undefined
}

/** Whether the fields come from one of our pages in this browser. */
export function isOwnForm(fields: ReadonlyMap<string, string>, browser: Browser): boolean {
  const token = fields.get('csrf') ?? ''
  return !browser.isElsewhere && sameText(token, browser.tokenOf(tagOf(token)))
}

const tagOf = (token: string): string => token.split('.', 1)[0]!

/** Whether the page of a form was shown in the current session; a page of an earlier session must be shown again. */
export const isOfSession = (form: Map<string, string>, browser: Browser): boolean =>
  sameText(form.get('csrf') ?? '', browser.csrf)

/** Whether the page of a form was shown to a browser that was not signed in. */
export const isWithoutSession = (form: Map<string, string>): boolean => tagOf(form.get('csrf') ?? '') === NO_SESSION

/**
 * A page with headers that prevent framing, scripts and caching. With `leadsAway`, its forms may end at an app, which may redirect
 * anywhere: browsers apply the form policy of a page to every redirect that follows.
 */
export function pageAnswer(
  page: string,
  browser: Browser | undefined,
  options: { status?: number; leadsAway?: boolean; reason?: string | undefined } = {},
): Answer {
  const forms = options.leadsAway ? '' : " form-action 'self';"
  return new Answer(page, {
    status: options.status ?? 200,
    reason: options.reason,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': `default-src 'none'; style-src '${STYLE_HASH}'; img-src 'self' https:;${forms} frame-ancestors 'none'; base-uri 'none'`,
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      ...(browser && browser.setCookie.length > 0 ? { 'set-cookie': browser.setCookie } : {}),
    },
  })
}

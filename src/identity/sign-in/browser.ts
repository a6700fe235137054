import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import { formPairs } from '../../api-kit/reading/request-query.ts'
import { Answer } from '../../api-kit/writing/answer.ts'
import { randomText, type SecretBox, sameText } from '../../process/secret-box.ts'
import { formBody } from '../oauth1/verify-request.ts'
import { STYLE_HASH } from '../pages/index.ts'

const VISITOR_COOKIE = 'rostra_visitor'

/** A browser on one of our pages: its cookies, and the token that its forms must send back. */
export interface Browser {
  cookies: Map<string, string>
  csrf: string
  /** Cookie to set when the browser has none yet. */
  setCookie: string[]
  secure: boolean
}

export function readBrowser(request: RequestFacts, secretBox: SecretBox): Browser {
  const cookies = new Map<string, string>()
  for (const part of String(request.headers.cookie ?? '').split(';')) {
    const cut = part.indexOf('=')
    if (cut > 0) cookies.set(part.slice(0, cut).trim(), part.slice(cut + 1).trim())
  }
  const secure = request.url.startsWith('https:')
  const known = cookies.get(VISITOR_COOKIE)
  const visitor = known && /^[A-Za-z0-9]{32}$/.test(known) ? known : randomText(32)
  return {
    cookies,
    csrf: secretBox.sign(`form ${visitor}`),
    setCookie: visitor === known ? [] : [cookie(VISITOR_COOKIE, visitor, { secure })],
    secure,
  }
}

/** A cookie for this server only; scripts cannot read it. */
export function cookie(name: string, value: string, options: { secure: boolean; maxAgeS?: number }): string {
  const life = options.maxAgeS === undefined ? '' : `; Max-Age=${options.maxAgeS}`
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${options.secure ? '; Secure' : ''}${life}`
}

/** The fields of a posted form; undefined when the form is not from one of our pages. */
export function readForm(request: RequestFacts, browser: Browser): Map<string, string> | undefined {
  const fields = new Map<string, string>()
  for (const pair of formPairs(formBody(request))) if (pair && !pair[1].includes('\0')) fields.set(pair[0], pair[1])
  return sameText(fields.get('csrf') ?? '', browser.csrf) ? fields : undefined
}

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

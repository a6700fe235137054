import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import { isLegacyName } from '../../api-kit/naming/naming.ts'
import { readQuery } from '../../api-kit/reading/request-query.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { RequestNotes } from '../../api-kit/serving/serve-request.ts'
import type { Answer } from '../../api-kit/writing/answer.ts'
import { redirect, redirectRefusal } from '../../api-kit/writing/answer.ts'
import { digest } from '../../process/secret-box.ts'
import { type App, appPart, clientIdPart } from '../credentials.parts.ts'
import { consentPage, messagePage, scopeSentences } from '../pages/index.ts'
import { type Browser, isOfSession, pageAnswer, readBrowser, readForm } from '../sign-in/browser.ts'
import { appOnPage, withQuery } from '../sign-in/callback.ts'
import { definePage } from '../sign-in/define-page.ts'
import { findSession, type SignedInUser } from '../sign-in/sessions.ts'
import { askToSignIn, formFromElsewhere, SIGN_OUT_PATH } from '../sign-in/sign-in.ts'
import { challengeOf } from './pkce.ts'
import { SCOPES } from './scopes.ts'
import { CODE_LIFE_MS, codeAdd, grantAdd, makeCode } from './tokens.ts'

const PATHS = ['/i/oauth2/authorize', '/2/oauth2/authorize'] as const
type Path = (typeof PATHS)[number]

const MAX_STATE = 500
const NAMES = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const
type Parameters = Record<(typeof NAMES)[number], string | undefined>

/** A request that may be shown to the user. */
interface Valid {
  app: App
  redirectUri: string
  scopes: string[]
  naming: 'neutral' | 'legacy'
  state: string | undefined
  /** Always hashed: a plain challenge is the verifier itself, which must not be stored. */
  challenge: string
}

/** Errors of client or redirect address stay on our page, because that address cannot be trusted. */
type Checked = { valid: Valid } | { page: string; reason: string } | { back: string; reason: string }

async function check(runtime: Runtime, legacy: Naming, asked: Parameters, notes: RequestNotes): Promise<Checked> {
  const appId = asked.client_id === undefined ? undefined : await runtime.parts.one(clientIdPart, asked.client_id)
  const app = appId === undefined ? undefined : await runtime.parts.one(appPart, appId)
  if (app) notes.app = { id: app.id, name: app.name }
  if (!app || app.suspended)
    return {
      page: 'No app has this client id, or the app is suspended.',
      reason: app
        ? `the app "${app.name}" is suspended`
        : `no app has the client_id ${asked.client_id ?? '(none was given)'}`,
    }
  const redirectUri = asked.redirect_uri
  if (redirectUri === undefined || !app.callback_urls.includes(redirectUri)) {
    const given = redirectUri ?? '(none was given)'
    return {
      page: `The app has not registered the redirect address ${given}.`,
      reason: `redirect_uri is ${given}, but the app has registered ${app.callback_urls.join(', ') || 'none'}`,
    }
  }
  const back = (error: string, description: string): Checked => ({
    reason: description,
    back: withQuery(redirectUri, {
      error,
      error_description: description,
      ...(asked.state !== undefined && asked.state.length <= MAX_STATE ? { state: asked.state } : {}),
    }),
  })
  if (asked.state !== undefined && asked.state.length > MAX_STATE)
    return back('invalid_request', `state is longer than ${MAX_STATE} characters`)
  if (asked.response_type !== 'code') return back('unsupported_response_type', 'response_type must be code')
  const spelled = (asked.scope ?? '').split(' ').filter((scope) => scope !== '')
  const scopes = [...new Set(spelled.map((scope) => legacy.restore(scope)))]
  const unknown = spelled.find((scope) => !SCOPES.has(legacy.restore(scope)))
  if (scopes.length === 0 || unknown !== undefined)
    return back('invalid_scope', unknown === undefined ? 'scope is missing' : `the scope ${unknown} does not exist`)
  // Widely used clients write the method in lower case.
  const method = /^s256$/i.test(asked.code_challenge_method ?? '') ? 'S256' : (asked.code_challenge_method ?? 'plain')
  if (method !== 'S256' && method !== 'plain')
    return back('invalid_request', 'code_challenge_method must be S256 or plain')
  if (!/^[\w.~-]{1,128}=*$/.test(asked.code_challenge ?? ''))
    return back('invalid_request', 'code_challenge is missing or has characters other than letters, digits and -._~')
  const challenge = method === 'S256' ? asked.code_challenge!.replace(/=+$/, '') : challengeOf(asked.code_challenge!)
  const naming = spelled.some((scope) => isLegacyName(legacy, scope)) ? 'legacy' : 'neutral'
  return { valid: { app, redirectUri, scopes, naming, state: asked.state, challenge } }
}

const pick = (values: { get(name: string): string | undefined }): Parameters =>
  Object.fromEntries(NAMES.map((name) => [name, values.get(name)])) as Parameters

function refusal(browser: Browser, checked: Exclude<Checked, { valid: Valid }>): Answer {
  if ('back' in checked) return redirectRefusal(checked.back, checked.reason)
  const page = messagePage({
    title: 'Something went wrong',
    paragraphs: [checked.page, 'The app did not get access. Go back to the app and try again.'],
    tone: 'error',
  })
  return pageAnswer(page, browser, { status: 400, reason: checked.reason })
}

async function show(
  path: Path,
  request: RequestFacts,
  runtime: Runtime,
  legacy: Naming,
  notes: RequestNotes,
): Promise<Answer> {
  const browser = readBrowser(request, runtime)
  const query = readQuery(request.rawQuery)
  const asked = pick({ get: (name) => query.get(name)?.[0] })
  const checked = await check(runtime, legacy, asked, notes)
  if (!('valid' in checked)) return refusal(browser, checked)
  const { valid } = checked
  const returnTo = `${path}?${request.rawQuery}`
  const user = await findSession(runtime, browser)
  if (!user) return askToSignIn(runtime, browser, { returnTo, appName: valid.app.name })
  return askForConsent(path, runtime, browser, asked, valid, user)
}

async function askForConsent(
  path: Path,
  runtime: Runtime,
  browser: Browser,
  asked: Parameters,
  valid: Valid,
  user: SignedInUser,
): Promise<Answer> {
  const { can, cannot } = scopeSentences(valid.scopes)
  const hidden = Object.fromEntries(
    Object.entries(asked).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  const page = consentPage({
    action: `${runtime.mount}${path}`,
    csrf: browser.csrf,
    hidden: { ...hidden, return_to: `${path}?${new URLSearchParams(hidden)}`, user_id: user.id },
    app: await appOnPage(runtime, valid.app, valid.redirectUri),
    user: { name: user.name, username: user.username },
    can,
    cannot,
    keepsAccess: valid.scopes.includes('offline.access'),
    signOutAction: `${runtime.mount}${SIGN_OUT_PATH}`,
  })
  return pageAnswer(page, browser, { leadsAway: true })
}

async function decide(
  path: Path,
  request: RequestFacts,
  runtime: Runtime,
  legacy: Naming,
  notes: RequestNotes,
): Promise<Answer> {
  const browser = readBrowser(request, runtime)
  const form = readForm(request, browser)
  const user = await findSession(runtime, browser)
  if (!form || !user) return formFromElsewhere(browser, 'app')
  const asked = pick(form)
  const checked = await check(runtime, legacy, asked, notes)
  if (!('valid' in checked)) return refusal(browser, checked)
  const { valid } = checked
  // Somebody may have signed in meanwhile, in another tab. They have to see the page themselves.
  if (!isOfSession(form, browser) || form.get('user_id') !== user.id)
    return askForConsent(path, runtime, browser, asked, valid, user)
  const state = valid.state === undefined ? undefined : { state: valid.state }
  if (form.get('decision') !== 'approve')
    return redirect(withQuery(valid.redirectUri, { ...state, error: 'access_denied' }))
  const now = runtime.clock.now()
  const code = makeCode(now)
  await change(runtime, async (tx) => {
    const grantId = runtime.ids.next()
    await grantAdd.count(tx, grantId, valid.app.id, user.id, valid.scopes, valid.naming, new Date(now))
    await codeAdd.count(tx, digest(code), grantId, valid.redirectUri, valid.challenge, new Date(now + CODE_LIFE_MS))
  })
  return redirect(withQuery(valid.redirectUri, { ...state, code }))
}

/** The consent page of OAuth 2.0, at both addresses that clients use. */
export const oauth2Pages = (legacy: Naming) =>
  PATHS.flatMap((path) => [
    definePage('oauth2Page', `GET ${path}`, (request, runtime, notes) => show(path, request, runtime, legacy, notes)),
    definePage('oauth2Decision', `POST ${path}`, (request, runtime, notes) =>
      decide(path, request, runtime, legacy, notes),
    ),
  ])

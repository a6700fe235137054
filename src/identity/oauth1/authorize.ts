import type { PermissionLevel } from '../../api-kit/declaring/caller.ts'
import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import { readQuery } from '../../api-kit/reading/request-query.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { Answer } from '../../api-kit/writing/answer.ts'
import { redirect } from '../../api-kit/writing/answer.ts'
import { digest, randomDigits, randomText } from '../../process/secret-box.ts'
import { appPart } from '../credentials.parts.ts'
import { accessLevelSentences, consentPage, deniedPage, messagePage, pinPage } from '../pages/index.ts'
import { type Browser, isOfSession, pageAnswer, readBrowser, readForm } from '../sign-in/browser.ts'
import { appOnPage, withQuery } from '../sign-in/callback.ts'
import { definePage } from '../sign-in/define-page.ts'
import { findSession, type SignedInUser } from '../sign-in/sessions.ts'
import { askToSignIn, formFromElsewhere, SIGN_OUT_PATH } from '../sign-in/sign-in.ts'
import { grantedLevel, requestTokenApprove, requestTokenByHash, requestTokenRemove, verifierDigest } from './tokens.ts'

const PATHS = ['/oauth/authorize', '/oauth/authenticate', '/i/oauth/authenticate'] as const
type Path = (typeof PATHS)[number]

const unknownToken = (browser: Browser): Answer =>
  pageAnswer(
    messagePage({
      title: 'This link cannot be used',
      paragraphs: [
        'The request token in this link is unknown, already used, or too old.',
        'Go back to the app and start again.',
      ],
      tone: 'error',
    }),
    browser,
    { status: 403, reason: 'the request token is unknown, used, or older than 15 minutes' },
  )

async function show(path: Path, request: RequestFacts, runtime: Runtime): Promise<Answer> {
  const browser = readBrowser(request, runtime)
  const query = readQuery(request.rawQuery)
  const token = query.get('oauth_token')?.[0] ?? ''
  const asked = await findRequest(runtime, token)
  if (!asked || asked.row.user_id !== null) return unknownToken(browser)
  const user = await findSession(runtime, browser)
  const screenName = query.get('screen_name')?.[0]
  const forced = query.get('force_login')?.[0] === 'true'
  if (!user || forced)
    return askToSignIn(runtime, browser, {
      returnTo: addressOf(path, token),
      username: screenName,
      appName: asked.app.name,
    })
  const level = asked.row.access_level
  if (path !== '/oauth/authorize' && asked.app.sign_in_enabled && asked.row.callback !== 'oob') {
    const granted = await grantedLevel.first(runtime.database, asked.app.id, user.id)
    if (granted?.access_level === level) return approve(runtime, browser, token, asked, user.id)
  }
  return askForConsent(path, runtime, browser, token, asked, user)
}

const addressOf = (path: Path, token: string) => `${path}?oauth_token=${encodeURIComponent(token)}`

async function askForConsent(
  path: Path,
  runtime: Runtime,
  browser: Browser,
  token: string,
  asked: Asked,
  user: SignedInUser,
): Promise<Answer> {
  const { can, cannot } = accessLevelSentences(asked.row.access_level as PermissionLevel)
  const page = consentPage({
    action: `${runtime.mount}${path}`,
    csrf: browser.csrf,
    hidden: { oauth_token: token, return_to: addressOf(path, token), user_id: user.id },
    app: await appOnPage(runtime, asked.app, asked.row.callback === 'oob' ? null : asked.row.callback),
    user: { name: user.name, username: user.username },
    can,
    cannot,
    keepsAccess: true,
    signOutAction: `${runtime.mount}${SIGN_OUT_PATH}`,
  })
  return pageAnswer(page, browser, { leadsAway: asked.row.callback !== 'oob' })
}

async function decide(path: Path, request: RequestFacts, runtime: Runtime): Promise<Answer> {
  const browser = readBrowser(request, runtime)
  const form = readForm(request, browser)
  const user = await findSession(runtime, browser)
  if (!form || !user) return formFromElsewhere(browser, 'app')
  const token = form.get('oauth_token') ?? ''
  const asked = await findRequest(runtime, token)
  if (!asked || asked.row.user_id !== null) return unknownToken(browser)
  // Somebody may have signed in meanwhile, in another tab. They have to see the page themselves.
  if (!isOfSession(form, browser) || form.get('user_id') !== user.id)
    return askForConsent(path, runtime, browser, token, asked, user)
  if (form.get('decision') === 'approve') return approve(runtime, browser, token, asked, user.id)
  await requestTokenRemove.count(runtime.database, digest(token))
  if (asked.row.callback === 'oob') return pageAnswer(deniedPage({ appName: asked.app.name }), browser)
  return redirect(withQuery(asked.row.callback, { denied: token }))
}

type Asked = NonNullable<Awaited<ReturnType<typeof findRequest>>>

async function findRequest(runtime: Runtime, token: string) {
  const row = await requestTokenByHash.first(runtime.database, digest(token), new Date(runtime.clock.now()))
  const app = row && (await runtime.parts.one(appPart, row.app_id))
  return app && !app.suspended ? { row, app } : undefined
}

async function approve(
  runtime: Runtime,
  browser: Browser,
  token: string,
  asked: Asked,
  userId: string,
): Promise<Answer> {
  const outOfBand = asked.row.callback === 'oob'
  const verifier = outOfBand ? randomDigits(7) : randomText(32)
  const stored = verifierDigest(runtime.secretBox, token, verifier)
  if ((await requestTokenApprove.count(runtime.database, digest(token), userId, stored)) === 0)
    return unknownToken(browser)
  if (outOfBand) return pageAnswer(pinPage({ appName: asked.app.name, pin: verifier }), browser)
  return redirect(withQuery(asked.row.callback, { oauth_token: token, oauth_verifier: verifier }))
}

/** The pages of the three-legged flow. `authorize` always asks; `authenticate` asks only the first time. */
export const oauth1Pages = PATHS.flatMap((path) => [
  definePage('oauth1Page', `GET ${path}`, (request, runtime) => show(path, request, runtime)),
  definePage('oauth1Decision', `POST ${path}`, (request, runtime) => decide(path, request, runtime)),
])

import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import { readQuery } from '../../api-kit/reading/request-query.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { Answer } from '../../api-kit/writing/answer.ts'
import { redirect } from '../../api-kit/writing/answer.ts'
import { statement } from '../../storage/statement.ts'
import { messagePage, SIGN_IN_FAILED, signInPage } from '../pages/index.ts'
import { isLocalPath } from '../pages/urls.ts'
import { type Browser, isOfSession, isWithoutSession, pageAnswer, readBrowser, readForm } from './browser.ts'
import { definePage } from './define-page.ts'
import { clickedUser, usersToClick } from './dev-sign-in.ts'
import { checkPassword } from './password.ts'
import { endSession, findSession, startSession } from './sessions.ts'
import { countTry, deviceCookie } from './slow-down.ts'

export const SIGN_IN_PATH = '/i/sign-in'
export const SIGN_OUT_PATH = '/i/sign-out'

const signInFacts = statement(
  'sign_in_facts',
  { id: 'int8', username: 'text', suspended: 'bool', password_hash: 'text?' },
  // Two lookups by index: one condition over both tables would scan them.
  `select id, username, suspended, password_hash from (
     select 1 as rank, u.id, u.username, u.suspended, s.password_hash
       from user_account u left join user_sign_in s on s.user_id = u.id where lower(u.username) = lower($1)
     union all
     select 2, u.id, u.username, u.suspended, s.password_hash
       from user_sign_in s join user_account u on u.id = s.user_id where lower(s.email) = lower($1)
   ) found order by rank limit 1`,
)

/** The sign-in page; afterwards the browser goes back to `returnTo`. */
export async function askToSignIn(
  runtime: Runtime,
  browser: Browser,
  options: {
    returnTo: string
    username?: string
    appName?: string
    error?: string
    status?: number
    reason?: string
  },
): Promise<Answer> {
  const leadsAway = AUTHORIZE_PAGES.test(options.returnTo)
  const page = signInPage({
    action: `${runtime.mount}${SIGN_IN_PATH}`,
    csrf: browser.csrf,
    hidden: { return_to: options.returnTo, app_name: options.appName ?? '' },
    username: options.username,
    appName: options.appName,
    error: options.error,
    usersToClick: browser.maySignInByClick ? await usersToClick(runtime) : [],
    purpose: leadsAway ? 'authorize' : 'session',
    registerUrl: runtime.registration === 'closed' ? undefined : `${runtime.mount}${registerPath(options.returnTo)}`,
  })
  // Redirects may lead to the callback of an app that already has access.
  return pageAnswer(page, browser, { status: options.status, leadsAway, reason: options.reason })
}

/** The page on which somebody without an account creates one, before going on. */
const registerPath = (returnTo: string): string => `/i/register?${new URLSearchParams({ return_to: returnTo })}`

const AUTHORIZE_PAGES =
  /^\/(oauth\/(authorize|authenticate)|i\/oauth\/authenticate|i\/oauth2\/authorize|2\/oauth2\/authorize|(?:ads(?:-sandbox)?\/)?link_managed_account)\?/
/** Forms that lead on themselves, and addresses of programs. */
const NOT_PAGES = /^\/(i\/(sign-in|sign-out|register)|2|12|1\.1|oauth2?|_rostra|health)(?![\w-])|\/\.\.?(\/|$)/

/** Where to go after signing in: a page of this server. Anything else would be an open redirect. */
export function safeReturn(text: string | undefined): string | undefined {
  if (text === undefined || !isLocalPath(text) || !/^[\x21-\x7e]{1,8000}$/.test(text)) return undefined
  return AUTHORIZE_PAGES.test(text) || !NOT_PAGES.test(text) ? text : undefined
}

/** Where people go who signed in without coming from another page. */
const FIRST_PAGE = '/home'

/** The sign-in page for people who come without an app. Whoever is signed in already goes on. */
async function showSignIn(request: RequestFacts, runtime: Runtime): Promise<Answer> {
  const browser = readBrowser(request, runtime)
  const returnTo = safeReturn(readQuery(request.rawQuery).get('return_to')?.[0]) ?? FIRST_PAGE
  if (await findSession(runtime, browser)) return redirect(`${runtime.mount}${returnTo}`)
  return askToSignIn(runtime, browser, { returnTo })
}

/** Where people who sent a form that is not taken go on: to the app that sent them, or to a page of the server. */
const AGAIN = {
  app: 'Go back to the app and try again.',
  page: 'Go back, load the page again, and send the form once more.',
}

export const formFromElsewhere = (browser: Browser, from: keyof typeof AGAIN): Answer =>
  pageAnswer(
    messagePage({
      title: 'Please start again',
      paragraphs: ['This form is not from a page of this server, or the page was open for too long.', AGAIN[from]],
      tone: 'error',
    }),
    browser,
    { status: 403, reason: 'the form token does not belong to this browser, or the form leads elsewhere' },
  )

async function signIn(request: RequestFacts, runtime: Runtime): Promise<Answer> {
  const browser = readBrowser(request, runtime)
  const form = readForm(request, browser)
  const returnTo = safeReturn(form?.get('return_to'))
  if (!form || !returnTo) return formFromElsewhere(browser, 'page')
  // A page from before a sign-in in another tab has no session, which is as good as the current one.
  if (!isOfSession(form, browser) && !isWithoutSession(form)) return formFromElsewhere(browser, 'page')
  const clicked = form.get('as_user')
  if (clicked !== undefined) return signInByClick(runtime, browser, clicked, returnTo)
  const username = (form.get('username') ?? '').trim().replace(/^@/, '').slice(0, 200)
  const appName = form.get('app_name')
  const again = (error: string, status: number, reason: string) =>
    askToSignIn(runtime, browser, { returnTo, username, appName, error, status, reason })
  const facts = await signInFacts.first(runtime.database, username)
  const attempt = await countTry(runtime, request, browser, facts, username)
  if (attempt.isRefused)
    return again('Too many attempts. Wait 15 minutes and try again.', 429, 'too many wrong passwords')
  const right = await checkPassword((form.get('password') ?? '').slice(0, 1_000), facts?.password_hash)
  if (!facts || !right || facts.suspended) return again(SIGN_IN_FAILED, 401, whyNot(facts))
  await attempt.succeeded()
  return redirect(`${runtime.mount}${returnTo}`, {
    'set-cookie': [
      ...browser.setCookie,
      await startSession(runtime, browser, facts.id),
      deviceCookie(runtime, browser, facts),
    ],
  })
}

async function signInByClick(runtime: Runtime, browser: Browser, id: string, returnTo: string): Promise<Answer> {
  const user = browser.maySignInByClick ? await clickedUser(runtime, id) : undefined
  if (!user) return formFromElsewhere(browser, 'page')
  return redirect(`${runtime.mount}${returnTo}`, {
    'set-cookie': [...browser.setCookie, await startSession(runtime, browser, user.id)],
  })
}

/** Why a sign-in failed, for the operator. The page does not say it, and what was typed may be a password in the wrong field. */
function whyNot(facts: { username: string; suspended: boolean; password_hash: string | null } | undefined): string {
  if (!facts) return 'no user has this username or email address'
  if (facts.suspended) return `the user @${facts.username} is suspended`
  return facts.password_hash === null
    ? `the user @${facts.username} has no password`
    : `the password is not that of @${facts.username}`
}

async function signOut(request: RequestFacts, runtime: Runtime): Promise<Answer> {
  const browser = readBrowser(request, runtime)
  const form = readForm(request, browser)
  const returnTo = safeReturn(form?.get('return_to') ?? '/')
  if (!form || !returnTo || !isOfSession(form, browser)) return formFromElsewhere(browser, 'page')
  return redirect(`${runtime.mount}${returnTo}`, {
    'set-cookie': [...browser.setCookie, await endSession(runtime, browser)],
  })
}

export const signInEndpoints = [
  definePage('signInPage', `GET ${SIGN_IN_PATH}`, showSignIn),
  definePage('signIn', `POST ${SIGN_IN_PATH}`, signIn),
  definePage('signOut', `POST ${SIGN_OUT_PATH}`, signOut),
]

import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import { readOwnQuery } from '../../api-kit/reading/request-query.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { RequestNotes } from '../../api-kit/serving/serve-request.ts'
import { type Answer, redirect } from '../../api-kit/writing/answer.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { type App, appPart } from '../../identity/credentials.parts.ts'
import { type Browser, isOfSession, pageAnswer, readBrowser, readForm } from '../../identity/sign-in/browser.ts'
import { callbackFault } from '../../identity/sign-in/callback.ts'
import { definePage } from '../../identity/sign-in/define-page.ts'
import { findSession, type SignedInUser } from '../../identity/sign-in/sessions.ts'
import { askToSignIn, formFromElsewhere } from '../../identity/sign-in/sign-in.ts'
import { isStorableId } from '../../process/ids.ts'
import { enrolmentPart } from '../kit/access.ts'
import { isSandboxRequest } from '../kit/serving/addresses.ts'
import { toBase36 } from '../kit/values.ts'
import { linkAccountPage } from './link-account.page.ts'
import { type LinkPlan, type LinkRequest, type LinkResult, linkAccount, planLink } from './link-account.ts'
import { type PartnerKey, readPartnerKeys } from './partner-keys.ts'
import { findSigningKey, signedCallback } from './partner-signature.ts'

const PATH = '/link_managed_account'
const NAMES = [
  'callback_url',
  'client_app_id',
  'promotable_user_id',
  'fi_description',
  'timezone',
  'currency',
  'country',
  'signature',
] as const

const LONGEST_QUERY = 6_000
const LONGEST_ADDRESS = 2_000
const LONGEST_DESCRIPTION = 255
const LONGEST_TIMEZONE = 100

/** A request of a partner whose signature is right. */
interface Asked {
  app: App
  key: PartnerKey
  callbackUrl: string
  userId: string
  request: Omit<LinkRequest, 'user'>
}

const wrong = (what: string) => blank(400, what, what)

/** Reads what a partner sent. What is wrong with it is shown on a page: the address to go back to cannot be trusted. */
async function readAsked(
  request: RequestFacts,
  runtime: Runtime,
  rawQuery: string,
  notes: RequestNotes,
): Promise<Asked> {
  if (rawQuery.length > LONGEST_QUERY) throw wrong(`The query is longer than ${LONGEST_QUERY} characters`)
  const query = readOwnQuery(rawQuery, NAMES)
  const needed = (name: (typeof NAMES)[number]): string => {
    const value = query.get(name)
    if (value === undefined || value === '') throw wrong(`The parameter ${name} is missing`)
    return value
  }
  const callbackUrl = needed('callback_url')
  const fault = callbackUrl.length > LONGEST_ADDRESS ? 'it is too long' : callbackFault(callbackUrl)
  if (fault !== undefined || !/^https?:/i.test(callbackUrl))
    throw wrong(`The parameter callback_url must be an http or https address${fault === undefined ? '' : `: ${fault}`}`)
  const appId = needed('client_app_id')
  const userId = needed('promotable_user_id')
  for (const [name, value] of Object.entries({ client_app_id: appId, promotable_user_id: userId }))
    if (!isStorableId(value)) throw wrong(`The parameter ${name} must be a 64-bit number`)
  const optional = (name: (typeof NAMES)[number], fits: (value: string) => boolean, says: string) => {
    const value = query.get(name)
    if (value === undefined || value === '') return undefined
    if (!fits(value)) throw wrong(`The parameter ${name} must be ${says}`)
    return value
  }
  const link = {
    appId,
    sandbox: isSandboxRequest(request),
    description: optional(
      'fi_description',
      (value) => [...value].length <= LONGEST_DESCRIPTION,
      `at most ${LONGEST_DESCRIPTION} characters long`,
    ),
    timezone: optional(
      'timezone',
      (value) => value.length <= LONGEST_TIMEZONE,
      `at most ${LONGEST_TIMEZONE} characters long`,
    ),
    currency: optional('currency', (value) => /^[A-Z]{3}$/.test(value), 'three capital letters'),
    country: optional('country', (value) => /^[A-Z]{2}$/.test(value), 'two capital letters'),
  }
  needed('signature')
  const app = await runtime.parts.one(appPart, appId)
  if (app) notes.app = { id: app.id, name: app.name }
  const enrolment = app && !app.suspended ? await runtime.parts.one(enrolmentPart, app.id) : undefined
  const keys = app && enrolment?.level === 'standard' ? await readPartnerKeys(runtime, app.id) : []
  if (!app || keys.length === 0) throw wrong('The app of client_app_id is not a partner of this server')
  const key = findSigningKey(request.url, rawQuery, keys)
  if (!key) throw wrong('The signature is not the one of this address with a secret of the partner')
  return { app, key, callbackUrl, userId, request: link }
}

/** Back to the partner, with what became of its request. */
function goBack({ callbackUrl, key, userId }: Asked, { status, accountId, fundingId }: LinkResult): Answer {
  const shown = (id: string | undefined) => (id === undefined ? '' : toBase36(id))
  const values = { status, account_id: shown(accountId), funding_instrument_id: shown(fundingId) }
  return redirect(signedCallback(callbackUrl, values, key, userId))
}

/** What a plan does, in sentences for the advertiser. */
function stepsOf(
  { account, funding }: LinkPlan,
  { description, timezone, currency }: Asked['request'],
  partner: string,
) {
  return [
    account
      ? `Your advertising account “${account.name}” is linked to ${partner}.`
      : `You get an advertising account in the time zone ${timezone}, which pays in ${currency}.`,
    ...(funding || description === undefined
      ? []
      : [
          `Campaigns can be paid with “${description}”, which ${partner} funds and manages.`,
          'Other funding that partners manage for this account is paused.',
        ]),
  ]
}

async function ask(
  request: RequestFacts,
  runtime: Runtime,
  browser: Browser,
  rawQuery: string,
  asked: Asked,
  user: SignedInUser,
): Promise<Answer> {
  if (user.id !== asked.userId) return goBack(asked, { status: 'USER_MISMATCH' })
  const plan = await planLink(runtime.database, { ...asked.request, user })
  if (plan.refused)
    return goBack(asked, { status: plan.refused, ...(plan.account ? { accountId: plan.account.id } : {}) })
  // Nothing is left to do: a partner that lost the answer gets it again. Another partner would learn what it was not allowed to know.
  if (plan.account && plan.funding && plan.isLinked)
    return goBack(asked, { status: 'OK', accountId: plan.account.id, fundingId: plan.funding.id })
  const page = linkAccountPage({
    action: `${runtime.mount}${request.path}`,
    csrf: browser.csrf,
    hidden: { query: rawQuery, user_id: user.id },
    partner: asked.app.name,
    user,
    steps: stepsOf(plan, asked.request, asked.app.name),
    callbackHost: new URL(asked.callbackUrl).host,
  })
  return pageAnswer(page, browser, { leadsAway: true })
}

async function show(request: RequestFacts, runtime: Runtime, notes: RequestNotes): Promise<Answer> {
  const asked = await readAsked(request, runtime, request.rawQuery, notes)
  const browser = readBrowser(request, runtime)
  const user = await findSession(runtime, browser)
  if (user) return ask(request, runtime, browser, request.rawQuery, asked, user)
  return askToSignIn(runtime, browser, { returnTo: `${request.path}?${request.rawQuery}`, appName: asked.app.name })
}

async function decide(request: RequestFacts, runtime: Runtime, notes: RequestNotes): Promise<Answer> {
  const browser = readBrowser(request, runtime)
  const form = readForm(request, browser)
  const user = await findSession(runtime, browser)
  if (!form || !user) return formFromElsewhere(browser, 'app')
  const rawQuery = form.get('query') ?? ''
  const asked = await readAsked(request, runtime, rawQuery, notes)
  // Somebody may have signed in meanwhile, in another tab. They have to see the page themselves.
  if (!isOfSession(form, browser) || form.get('user_id') !== user.id)
    return ask(request, runtime, browser, rawQuery, asked, user)
  if (user.id !== asked.userId) return goBack(asked, { status: 'USER_MISMATCH' })
  if (form.get('decision') !== 'approve') return goBack(asked, { status: 'ACCOUNT_INELIGIBLE' })
  return goBack(asked, await linkAccount(runtime, { ...asked.request, user }))
}

/** Where a partner sends an advertiser: the operation of the reference. */
export const linkManagedAccount = definePage('linkManagedAccount', `GET ${PATH}`, show)

/** The pages of partner onboarding. */
export const partnerPages = [linkManagedAccount, definePage('linkManagedAccountDecision', `POST ${PATH}`, decide)]

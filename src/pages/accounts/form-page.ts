import { defineEndpoint, type Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { type Answer, type BytesAnswer, redirect } from '../../api-kit/writing/answer.ts'
import { Problem } from '../../api-kit/writing/problem.ts'
import { FieldFaults, faultsOf } from '../../identity/accounts/field-faults.ts'
import { isOfSession, isWithoutSession, readForm } from '../../identity/sign-in/browser.ts'
import { formFromElsewhere } from '../../identity/sign-in/sign-in.ts'
import { openPage, PEOPLE_LIMIT, sentenceOf, signInAddress } from '../define-page.ts'
import { type PageContent, writePage } from '../layout.ts'
import type { PageRequest, SignedInRequest } from '../page-request.ts'
import { problemContent } from '../problem-content.ts'

/** What was typed into a form that was refused, and what is wrong with it. */
export interface FormState {
  /** The address that the form was sent to; a page may have several. */
  sentTo: string
  values: ReadonlyMap<string, string>
  faults: Readonly<Record<string, string>>
}

/** What became of a form: where to go on, with cookies to set. */
export interface Sent {
  to: string
  cookies?: string[]
}

type Result = Sent | PageContent | BytesAnswer

/**
 * What a form of a signed-in user does. When it is refused, `again` shows the page with the sentences beside the fields. The
 * result is an address to go on to, or a page that is shown only once, such as new keys.
 */
export const defineForm = (
  id: string,
  route: `POST /${string}`,
  send: (page: SignedInRequest, form: Map<string, string>) => Promise<Result>,
  again: (page: SignedInRequest, state: FormState) => Promise<PageContent>,
): Endpoint =>
  defineEndpoint(
    id,
    route,
    async (request, runtime, { path }) => {
      const page = await openPage(request, runtime, path)
      const form = readForm(request, page.browser)
      return answerForm(page, form, send, again)
    },
    PEOPLE_LIMIT,
  )

/** The answer to a form whose fields were read; undefined fields are those of another browser or site. */
export async function answerForm(
  page: PageRequest,
  form: Map<string, string> | undefined,
  send: (page: SignedInRequest, form: Map<string, string>) => Promise<Result>,
  again: (page: SignedInRequest, state: FormState) => Promise<PageContent>,
): Promise<Answer | BytesAnswer> {
  if (!form || !isOfSession(form, page.browser)) return formFromElsewhere(page.browser, 'page')
  if (!page.viewer) return redirect(signInAddress(page.runtime, { ...page.request, rawQuery: '' }), {}, 303)
  const signedIn: SignedInRequest = { ...page, viewer: page.viewer }
  return answerSent(
    page,
    () => send(signedIn, form),
    (faults) => again(signedIn, { sentTo: page.request.path, values: form, faults }),
  )
}

/** The same for somebody who is not signed in. */
export const defineOpenForm = (
  id: string,
  route: `POST /${string}`,
  send: (page: PageRequest, form: Map<string, string>) => Promise<Sent>,
  again: (page: PageRequest, state: FormState) => Promise<PageContent>,
): Endpoint =>
  defineEndpoint(
    id,
    route,
    async (request, runtime, { path }) => {
      const page = await openPage(request, runtime, path)
      const form = readForm(request, page.browser)
      if (!form || !(isOfSession(form, page.browser) || isWithoutSession(form)))
        return formFromElsewhere(page.browser, 'page')
      return answerSent(
        page,
        () => send(page, form),
        (faults) => again(page, { sentTo: request.path, values: form, faults }),
      )
    },
    PEOPLE_LIMIT,
  )

async function answerSent(
  page: PageRequest,
  send: () => Promise<Result>,
  again: (faults: Readonly<Record<string, string>>) => Promise<PageContent>,
): Promise<Answer | BytesAnswer> {
  try {
    const sent = await send()
    if ('bytes' in sent) return sent
    if ('main' in sent) return writePage(page, sent)
    const cookies = [...page.browser.setCookie, ...(sent.cookies ?? [])]
    return redirect(`${page.runtime.mount}${sent.to}`, cookies.length > 0 ? { 'set-cookie': cookies } : {}, 303)
  } catch (error) {
    // What the form is about does not exist, or belongs to somebody else: there is no page to show again.
    if (error instanceof Problem && error.status === 404)
      return writePage(page, problemContent(page, 404, sentenceOf(error)))
    const faults = faultsFrom(error)
    if (!faults) throw error
    const content = await again(faults)
    const status = error instanceof FieldFaults ? error.status : 400
    return writePage(page, { ...content, title: `Error: ${content.title}`, status })
  }
}

function faultsFrom(error: unknown): Readonly<Record<string, string>> | undefined {
  if (error instanceof FieldFaults) return error.faults
  if (!(error instanceof Problem) || error.status >= 500) return undefined
  return faultsOf(error)?.faults ?? { form: sentenceOf(error) }
}

/** A field as somebody typed it, without the spaces around it. */
export const typed = (form: ReadonlyMap<string, string>, name: string): string => (form.get(name) ?? '').trim()

/** A state of a form that nobody has sent yet. */
export const UNSENT: FormState = { sentTo: '', values: new Map(), faults: {} }

import { defineEndpoint, type Endpoint, withHead } from '../api-kit/declaring/endpoint.ts'
import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import type { EndpointLimit } from '../api-kit/limits/endpoint-limit.ts'
import { readQuery } from '../api-kit/reading/request-query.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { reasonOf } from '../api-kit/serving/serve-request.ts'
import { type Answer, jsonAnswer, redirect } from '../api-kit/writing/answer.ts'
import { Problem } from '../api-kit/writing/problem.ts'
import { PAGE_LIMIT } from '../identity/limits.ts'
import { readBrowser } from '../identity/sign-in/browser.ts'
import { findSession } from '../identity/sign-in/sessions.ts'
import { formFromElsewhere } from '../identity/sign-in/sign-in.ts'
import { countViews } from './count-views.ts'
import { type PageContent, writePage } from './layout.ts'
import { createPageRequest, type PageRequest, type SignedInRequest } from './page-request.ts'
import { problemContent } from './problem-content.ts'
import { readSentForm, type SentForm } from './read-form.ts'

// People open many pages, and a page does not ask for more than a script would.
export const PEOPLE_LIMIT: EndpointLimit = { ...PAGE_LIMIT, address: { limit: 6_000, seconds: 900 } }

/** A page for people. A refusal is a page too, for browsers; programs get it as JSON. */
export const definePeoplePage = (
  id: string,
  route: `GET /${string}`,
  handle: (page: PageRequest) => Promise<PageContent | Answer>,
): Endpoint =>
  withHead(
    defineEndpoint(
      id,
      route,
      async (request, runtime, { path }) => {
        const page = await openPage(request, runtime, path)
        try {
          const content = await handle(page)
          countViews(page)
          return 'main' in content ? writePage(page, content) : content
        } catch (error) {
          return refusedPage(page, error)
        }
      },
      PEOPLE_LIMIT,
    ),
  )

/** A page that only a signed-in user has; others are led to the sign-in. */
export const defineSignedInPage = (
  id: string,
  route: `GET /${string}`,
  handle: (page: SignedInRequest) => Promise<PageContent | Answer>,
): Endpoint => ({
  ...definePeoplePage(id, route, async (page) =>
    isSignedIn(page) ? handle(page) : redirect(signInAddress(page.runtime, page.request)),
  ),
  // Some of them show ads, which count.
  takesHead: false,
})

export const isSignedIn = (page: PageRequest): page is SignedInRequest => page.viewer !== undefined

/** The sign-in page, from which the browser returns to the address of the request. */
export const signInAddress = ({ mount }: Runtime, { path, rawQuery }: RequestFacts): string =>
  `${mount}/i/sign-in?return_to=${encodeURIComponent(rawQuery === '' ? path : `${path}?${rawQuery}`)}`

/** A form that a signed-in user sent. */
export interface ActionRequest extends SignedInRequest {
  form: Map<string, string>
  /** The files of a form that has some, by the names of their fields, which begin with `file_`. */
  files: ReadonlyMap<string, Buffer>
}

/** What became of an action: where to go on, and what a script needs to show it in place. */
export interface ActionDone {
  /** A local path; without it the browser returns to where the form was. */
  to?: string
  /** What the script of the page gets. */
  data?: Record<string, unknown>
  /** It was refused: the page is shown again with what was typed, and the script gets the message. */
  refused?: { status: number; message: string; content: PageContent }
}

/**
 * What a form of a page does. Without a script the browser is led back to the page; the script asks for JSON and changes the page in
 * place. An operation that refuses is the refusal of the action: call it with `page.need`.
 */
export const defineAction = (
  id: string,
  route: `POST /${string}`,
  handle: (page: ActionRequest) => Promise<ActionDone | undefined>,
  options: { bodyLimit?: number } = {},
): Endpoint => ({
  ...defineEndpoint(
    id,
    route,
    async (request, runtime, { path }) => {
      const page = await openPage(request, runtime, path)
      const sent = await readSentForm(request, page.browser)
      if (!sent) return formFromElsewhere(page.browser, 'page')
      if (!isSignedIn(page)) return redirect(`${runtime.mount}/i/sign-in`)
      const isForScript = wantsJson(request)
      try {
        return answerAction(page, sent, isForScript, await handle({ ...page, ...sent, ...adOfForm(sent) }))
      } catch (error) {
        if (!isForScript || !(error instanceof Problem) || error.status >= 500) return refusedPage(page, error)
        return jsonAnswer({ ok: false, message: sentenceOf(error) }, error.status)
      }
    },
    PEOPLE_LIMIT,
  ),
  ...options,
})

/** A form tells which ad it belongs to. */
const adOfForm = ({ form }: SentForm): { ad?: string } => {
  const ad = form.get('ad')
  return ad === undefined ? {} : { ad }
}

function answerAction(page: PageRequest, { form }: SentForm, isForScript: boolean, done: ActionDone = {}): Answer {
  const { refused } = done
  if (refused && isForScript) return jsonAnswer({ ok: false, message: refused.message }, refused.status)
  if (refused) return writePage(page, { ...refused.content, status: refused.status })
  if (isForScript) return jsonAnswer({ ok: true, ...done.data })
  // The browser reads the page with GET.
  return redirect(`${page.runtime.mount}${done.to ?? localPath(form.get('return_to')) ?? '/home'}`, {}, 303)
}

/** A path on this server, as a form or an address names it: never another host. */
export function localPath(text: string | undefined): string | undefined {
  return text !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes('\\') ? text : undefined
}

/** Finds out who opens a page. */
export async function openPage(
  request: RequestFacts,
  runtime: Runtime,
  path: Record<string, string>,
): Promise<PageRequest> {
  const browser = readBrowser(request, runtime)
  const query = new Map<string, string>()
  for (const [name, [value]] of readQuery(request.rawQuery)) if (value !== undefined) query.set(name, value)
  return createPageRequest({ request, runtime, browser, viewer: await findSession(runtime, browser), path, query })
}

const wantsJson = ({ headers }: RequestFacts): boolean => String(headers.accept ?? '').includes('application/json')

/** Whether the request comes from a browser that shows pages. */
export const wantsHtml = (headers: RequestFacts['headers']): boolean =>
  String(headers.accept ?? '').includes('text/html')

/** The sentence of a refusal, for people. */
export const sentenceOf = (problem: Problem): string => reasonOf(problem) ?? 'The request was refused.'

function refusedPage(page: PageRequest, error: unknown): Answer {
  if (!(error instanceof Problem) || error.status >= 500 || !wantsHtml(page.request.headers)) throw error
  return writePage(page, problemContent(page, error.status, sentenceOf(error)))
}

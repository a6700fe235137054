import { defineEndpoint, type Endpoint, withHead } from '../api-kit/declaring/endpoint.ts'
import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { parseJsonBody } from '../api-kit/reading/body.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { Answer, jsonAnswer, redirect } from '../api-kit/writing/answer.ts'
import { blank } from '../api-kit/writing/problems.ts'
import {
  endConsoleSession,
  hasConsole,
  hasConsoleSession,
  isFromConsole,
  startConsoleSession,
} from '../control/console-access.ts'
import { html } from '../identity/pages/html.ts'
import { assetPath } from '../pages/assets.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** The headers of an answer of the console: nobody frames it, and its address, which may have the code, is not passed on. */
const HEADERS = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Refuses as if nothing were here: whoever may not use the console learns nothing about it. */
function requireConsole(request: RequestFacts, runtime: Runtime): void {
  if (!hasConsole(request, runtime))
    throw blank(
      404,
      'There is no console at this address. It is served only to this machine, at localhost, unless --console is on.',
    )
}

/** The page that loads the console. It has no secrets: those come after the sign-in. */
async function shell(request: RequestFacts, runtime: Runtime): Promise<Answer> {
  requireConsole(request, runtime)
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Rostra console</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="${runtime.mount}/favicon.ico">
<link rel="stylesheet" href="${assetPath(runtime, 'console.css')}">
<script type="module" src="${assetPath(runtime, 'console.js')}"></script>
</head>
<body data-mount="${runtime.mount}">
<div id="console"></div>
<noscript><p class="alone">The console needs JavaScript.</p></noscript>
</body>
</html>
`
  return new Answer(page.text, { contentType: 'text/html; charset=utf-8', headers: HEADERS })
}

/** A script exchanges the code, not the page: programs that only look at the link, or load it ahead, do not use it up. */
async function signIn(request: RequestFacts, runtime: Runtime): Promise<Answer> {
  requireConsole(request, runtime)
  if (!isFromConsole(request)) throw blank(403, 'Only the console itself can sign in to it.')
  const body = parseJsonBody(request.body, request.headers['content-type'] as string | undefined)
  const code = (body as { code?: unknown } | undefined)?.code
  const cookie = typeof code === 'string' ? await startConsoleSession(request, runtime, code) : undefined
  if (cookie === undefined)
    throw blank(
      403,
      'This link was used, or it is not complete. credentials.json has a new one as console_url, and `rostra console` prints it.',
    )
  return new Answer('{"signed_in":true}', { headers: { 'set-cookie': cookie } })
}

async function signOut(request: RequestFacts, runtime: Runtime): Promise<Answer> {
  requireConsole(request, runtime)
  if (!isFromConsole(request)) throw blank(403, 'Only the console itself can sign out of it.')
  return new Answer('{"signed_in":false}', { headers: { 'set-cookie': await endConsoleSession(request, runtime) } })
}

/** Whether `/` leads to the console. Elsewhere it is the public front page. */
export const leadsToConsole = (request: RequestFacts, runtime: Runtime): boolean =>
  runtime.console === 'local' && hasConsole(request, runtime)

/** The address of the console's first page. */
export const toConsole = ({ mount }: Runtime): Answer => redirect(`${mount}/_rostra/console`)

const unrecorded = (endpoint: Endpoint): Endpoint => ({ ...endpoint, unrecorded: true })

/** The console: its page at every address below it, and the session of a browser. */
export const consoleEndpoints: Endpoint[] = [
  unrecorded(withHead(defineEndpoint('consoleShell', 'GET /_rostra/console', shell))),
  unrecorded(withHead(defineEndpoint('consolePage', 'GET /_rostra/console/*', shell))),
  unrecorded(
    defineEndpoint('consoleSession', 'GET /_rostra/console-session', async (request, runtime) => {
      requireConsole(request, runtime)
      return jsonAnswer({ signed_in: await hasConsoleSession(request, runtime) })
    }),
  ),
  defineEndpoint('consoleSignIn', 'POST /_rostra/console-session', signIn),
  defineEndpoint('consoleSignOut', 'POST /_rostra/console-session/end', signOut),
]
